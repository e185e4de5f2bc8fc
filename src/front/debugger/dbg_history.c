/* history: every change of a value, as a list, as JSON, as comma-separated values, or drawn.
 *
 * debug_history.c finds the changes and who made them; here they become text.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum form { AS_LIST, AS_JSON, AS_CSV, AS_PLOT };
enum { ROWS_SHOWN = 50 }; /* without -n */

struct asked {
    char *expression, *from, *to; /* parts of `text`; NULL: not given */
    char *text;
    u64 most;
    bool location; /* -l */
    enum form form;
};

/* --- what is asked ---------------------------------------------------------------------------- */

static struct error *take_option(struct asked *a, const char *word, const char **rest, bool *ret)
{
    static const struct { const char *word; enum form form; } forms[] = {
        {"--json", AS_JSON}, {"--csv", AS_CSV}, {"--plot", AS_PLOT},
    };
    *ret = true;
    for (size_t i = 0; i < countof(forms); i++)
        if (strcmp(word, forms[i].word) == 0) {
            a->form = forms[i].form;
            return NULL;
        }
    if (strcmp(word, "-l") == 0 || strcmp(word, "-location") == 0) {
        a->location = true;
        return NULL;
    }
    *ret = strcmp(word, "-n") == 0;
    if (!*ret)
        return NULL;
    char *number = debug_next_word(rest);
    struct error *err =
        number ? debug_number(number, "number of changes", &a->most)
               : error_coded(ERROR_MISUSED, "how many changes? A number is missing after '-n'");
    if (!err && !a->most)
        err = error_coded(ERROR_MISUSED, "the number of changes must be at least 1");
    free(number);
    return err;
}

/* Reads [-l] EXPRESSION [-n N] [from MOMENT] [to MOMENT] [--json | --csv | --plot]. Options may be
 * anywhere between words. */
static struct error *read_asked(const char *args, struct asked *a)
{
    struct error *err = NULL;
    *a = (struct asked){.text = xformat("%s", "")};
    while (*args && !err) {
        bool is_option;
        char *word = debug_next_word(&args);
        err = take_option(a, word, &args, &is_option);
        if (!err && !is_option) {
            char *longer = xformat("%s%s%s", a->text, *a->text ? " " : "", word);
            free(a->text);
            a->text = longer;
        }
        free(word);
    }
    if (err)
        return err;
    a->to = debug_cut_behind(a->text, "to");
    a->from = debug_cut_behind(a->text, "from");
    a->expression = a->text;
    return *a->text ? NULL
                    : error_coded(ERROR_MISUSED, "the history of what? An expression is missing");
}

static struct error *dbg_history_read_range(struct dbg *d, const struct asked *a,
                                            struct moment *from, struct moment *to)
{
    struct error *err = NULL;
    *from = session_first(d->debug->session);
    *to = session_last(d->debug->session);
    if (a->from)
        err = debug_find_moment(d->debug, a->from, from);
    if (!err && a->to)
        err = debug_find_moment(d->debug, a->to, to);
    if (!err && moment_compare(*to, *from) < 0)
        err = error_coded(ERROR_MISUSED,
                          "the end of the history is before its start: 'from' is the earlier "
                          "moment");
    return err;
}

/* --- a list ----------------------------------------------------------------------------------- */

static void dbg_history_say_place(struct dbg *d, const struct debug_history_row *row)
{
    if (row->file) {
        char *file = dbg_short_path(d, row->file);
        dbg_say(d, "%s:%u in ", file, row->line);
        free(file);
    }
    dbg_say(d, "%s, thread %u, moment %llu:0x%llx\n", row->function ? row->function : "??",
            row->thread, (unsigned long long)row->at.tick, (unsigned long long)row->at.pc);
}

static void dbg_history_say_row(struct dbg *d, const struct debug_history_row *row, int width)
{
    char *value = !row->old            ? xformat("first: %s", row->new)
                  : row->is_seen_first ? xformat("first seen: %s", row->new)
                                       : xformat("%s -> %s%s", row->old, row->new,
                                                 row->unseen ? " (optimised out in between)" : "");
    dbg_say(d, "%-*s  ", width, value);
    free(value);
    dbg_history_say_place(d, row);
}

static void say_list(struct dbg *d, const struct debug_history *h)
{
    enum { WIDTH_MOST = 48 };
    const struct debug_history_row *rows = h->rows.items;
    size_t width = h->has_first ? strlen(h->first.new) + 7 : 0;
    width = width <= WIDTH_MOST ? width : 0;
    for (size_t i = 0; i < h->rows.count; i++) {
        size_t here = strlen(rows[i].old) + strlen(rows[i].new) + 4;
        if (here > width && here <= WIDTH_MOST)
            width = here;
    }
    for (size_t i = 0; i < h->rows.count; i++)
        dbg_history_say_row(d, &rows[i], (int)width);
    if (h->has_first)
        dbg_history_say_row(d, &h->first, (int)width);
}

/* Suggests -l: the memory of a value reached from a local exists before and after the call, too. */
static void hint_at_location(struct dbg *d, const struct debug_history *h)
{
    const struct subject *s = h->subject;
    u64 address, size;
    if (subject_is_local(s) && subject_memory(s, &address, &size) && !subject_in_frame(s, address))
        dbg_say(d, "For the memory that it means now, over the whole run: history -l %s\n",
                s->expression);
}

static void say_constant(struct dbg *d, const char *expression)
{
    struct evaluation *evaluation;
    struct value *value;
    struct error *err = debug_evaluation(d->debug, &evaluation);
    if (!err) {
        err = values_evaluate(evaluation, expression, &value);
        char *text = err ? NULL : value_show(value, 0);
        if (text)
            dbg_say(d, "It is %s.\n", text);
        free(text);
        values_close(evaluation);
    }
    error_destroy(err);
}

static void say_left_out(struct dbg *d, const struct debug_history *h)
{
    unsigned long long all = h->answer.count + h->answer.left_out, left = all - h->rows.count;
    dbg_say(d,
            "These are %zu of %llu changes, from the first to the last; %llu between them are left "
            "out, "
            "evenly. '-n %llu' lists the newest, 'from' and 'to' a part; --csv all%s.\n",
            h->rows.count, all, left, all < 1000 ? all : 1000,
            h->answer.left_out ? " that are kept" : "");
}

static void dbg_history_say_summary(struct dbg *d, const struct debug_history *h, bool listed)
{
    const struct history_answer *a = &h->answer;
    const char *expression = h->subject->expression;
    if (a->interrupted)
        dbg_say(d, "Interrupted: these are what was found until then.\n");
    else if (a->more)
        dbg_say(d, "There are more changes.\n");
    else if (h->subject->is_constant)
        say_constant(d, expression);
    else if (listed && h->rows.count < a->count + a->left_out)
        say_left_out(d, h);
    else if (!a->count && a->unseen)
        dbg_say(d, "%s is not seen to change: where it is optimised out that is not known.\n",
                expression);
    else if (!a->count && !h->cover.is_unwritten)
        dbg_say(d, h->has_first ? "%s does not change after that.\n" : "%s does not change.\n",
                expression);
    hint_at_location(d, h);
}

/* --- JSON and comma-separated values ---------------------------------------------------------- */

static void json_row(struct json *j, const struct debug_history_row *row)
{
    json_open(j, NULL, '{');
    json_string(j, "old", row->old);
    json_string(j, "new", row->new);
    json_unsigned(j, "tick", row->at.tick);
    json_hex(j, "pc", row->at.pc);
    json_string(j, "file", row->file);
    if (row->file)
        json_unsigned(j, "line", row->line);
    else
        json_string(j, "line", NULL);
    json_string(j, "function", row->function);
    json_unsigned(j, "thread", row->thread);
    json_close(j, '}');
}

static void json_first(struct json *j, const struct debug_history_row *first)
{
    json_open(j, "first", '{');
    json_string(j, "new", first->new);
    json_unsigned(j, "tick", first->at.tick);
    json_hex(j, "pc", first->at.pc);
    json_unsigned(j, "thread", first->thread);
    json_close(j, '}');
}

static void json_rows(struct json *j, const struct debug_history *h)
{
    const struct debug_history_row *rows = h->rows.items;
    dbg_cover_json(j, h->subject, &h->cover);
    json_open(j, "changes", '[');
    for (size_t i = 0; i < h->rows.count; i++)
        json_row(j, &rows[i]);
    json_close(j, ']');
    if (h->has_first)
        json_first(j, &h->first);
    json_unsigned(j, "left_out", h->answer.left_out);
    json_bool(j, "more", h->answer.more);
    json_bool(j, "interrupted", h->answer.interrupted);
}

/* For `history --json`, when other answers are text. */
static void say_json(struct dbg *d, const struct debug_history *h)
{
    struct json j = {.out = d->answer.text};
    json_open(&j, NULL, '{');
    json_rows(&j, h);
    json_close(&j, '}');
    dbg_say(d, "\n");
}

/* RFC 4180: in quotes, with a quote doubled. */
static void say_cell(struct dbg *d, const char *text, char behind)
{
    dbg_say(d, "\"");
    for (const char *at = text ? text : ""; *at; at++)
        dbg_say(d, *at == '"' ? "\"\"" : "%c", *at);
    dbg_say(d, "\"%c", behind);
}

static void say_csv(struct dbg *d, const struct debug_history *h)
{
    const struct debug_history_row *rows = h->rows.items;
    dbg_say(d, "tick,pc,thread,file,line,function,old,new\n");
    for (size_t i = 0; i < h->rows.count; i++) {
        const struct debug_history_row *row = &rows[i];
        dbg_say(d, "%llu,0x%llx,%u,", (unsigned long long)row->at.tick,
                (unsigned long long)row->at.pc, row->thread);
        say_cell(d, row->file, ',');
        if (row->file)
            dbg_say(d, "%u", row->line);
        dbg_say(d, ",");
        say_cell(d, row->function, ',');
        say_cell(d, row->old, ',');
        say_cell(d, row->new, '\n');
    }
}

/* --- the command ------------------------------------------------------------------------------ */

static struct error *say_history(struct dbg *d, const struct asked *a, struct debug_history *h)
{
    struct error *err = NULL;
    bool rows = a->form != AS_PLOT || d->json;
    if (a->form == AS_LIST || a->form == AS_PLOT)
        dbg_cover_say(d, h->subject, &h->cover);
    if (a->form == AS_PLOT)
        dbg_plot(d, h->subject, &h->answer);
    if (rows)
        err = debug_history_make_rows(
            d->debug, h, a->form == AS_LIST && !d->json && !a->most ? ROWS_SHOWN : 0);
    if (err)
        return err;
    if (d->json)
        json_rows(dbg_fields(d), h);
    if (a->form == AS_JSON && !d->json)
        say_json(d, h);
    if (a->form == AS_CSV)
        say_csv(d, h);
    if (a->form == AS_LIST)
        say_list(d, h);
    if (a->form == AS_LIST || a->form == AS_PLOT)
        dbg_history_say_summary(d, h, rows);
    return NULL;
}

struct error *dbg_history(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct asked a;
    struct debug_history_asked asked = {0};
    struct debug_history h;
    (void)c;
    struct error *err = read_asked(args, &a);
    if (!err)
        err = dbg_history_read_range(d, &a, &asked.from, &asked.to);
    if (!err) {
        asked.expression = a.expression;
        asked.location = a.location;
        asked.most = a.most;
        err = debug_history_ask(d->debug, &asked, &h);
    }
    if (!err) {
        err = say_history(d, &a, &h);
        debug_history_deinit(&h);
    }
    free(a.text);
    return err;
}
