/* history: every change of a value, as a list, as JSON, as comma-separated values, or drawn.
 *
 * Answers are kept by the struct history as long as the track is open, so repeating a question is
 * fast.
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

/* A change, in the form in which it is shown. */
struct history_row {
    const struct history_change *change;
    char *old, *new, *function;
    struct line_place line; /* file NULL: none */
};

struct rows {
    struct subject *subject;
    struct symbols *symbols;
    struct debug_cover cover;
    struct history_answer answer;
    char *first;             /* the first value that was written to a local; NULL: not shown */
    struct history_row *row; /* newest first */
    size_t count;            /* number of rows shown: all changes of the answer, or some */
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
                          "the history ends before it begins: 'from' is the earlier moment");
    return err;
}

/* --- asking ----------------------------------------------------------------------------------- */

/* Takes the first value that was written to a local, if all changes since then are known. */
static struct error *take_first(struct rows *rows)
{
    const struct history_answer *a = &rows->answer;
    struct history_state state;
    struct moment after = {rows->cover.write.after_tick, rows->cover.write.after_pc};
    if (!rows->cover.from_write || a->more || a->interrupted)
        return NULL;
    struct error *err = subject_state_at(rows->subject, after, &state);
    if (err)
        return err;
    rows->first = subject_text(rows->subject, &state);
    history_state_deinit(&state);
    return NULL;
}

static struct error *dbg_history_ask(struct dbg *d, const struct asked *a, struct rows *rows)
{
    struct session_place place;
    struct debug_cover *cover = &rows->cover;
    struct history_question q = {.look = subject_look,
                                 .context = rows->subject,
                                 .order = BACKWARD,
                                 .measure = subject_measure,
                                 .points = subject_points(rows->subject),
                                 .most = a->most};
    session_place(d->debug->session, &place);
    struct error *err = dbg_history_read_range(d, a, &cover->from, &cover->to);
    if (err)
        return err;
    char *key = subject_key(rows->subject);
    q.key = key;
    debug_begin_moving(d->debug, COURSE_TO);
    err = debug_cover(d->debug, rows->subject, place.at, true, cover);
    q.from = cover->from;
    q.to = cover->to;
    if (!err && !debug_cover_is_empty(cover) && !rows->subject->is_constant)
        err = history_ask(d->debug->history, &q, &rows->answer);
    if (!err && !cover->interrupted)
        err = take_first(rows);
    debug_end_moving(d->debug);
    rows->answer.interrupted |= cover->interrupted;
    free(key);
    return err;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The new value of one change is the old one of the next, so it is converted once. */
static char *dbg_history_text_of(struct rows *rows, size_t index, bool old)
{
    const struct history_change *c = rows->row[index].change,
                                *newer = index ? rows->row[index - 1].change : NULL;
    const struct history_state *state = old ? &c->old : &c->new;
    if (!old && newer && newer->old.address == state->address && newer->old.size == state->size &&
        !newer->old.text && !state->text && !memcmp(newer->old.bytes, state->bytes, state->size))
        return xformat("%s", rows->row[index - 1].old);
    return subject_text(rows->subject, state);
}

static void make_row(struct rows *rows, size_t index, const struct history_change *change)
{
    struct function_info function;
    struct history_row *row = &rows->row[index];
    row->change = change;
    u64 pc = row->change->at.pc;
    row->old = dbg_history_text_of(rows, index, true);
    row->new = dbg_history_text_of(rows, index, false);
    if (symbols_function(rows->symbols, pc, &function))
        row->function = xformat("%s", function.name);
    if (!symbols_line(rows->symbols, pc, &row->line))
        row->line.file = NULL;
}

/* Makes at most `most` rows, evenly spread, with the newest and the oldest; 0: all. */
static void make_rows(struct rows *rows, size_t most)
{
    size_t count = rows->answer.count;
    rows->count = most && count > most ? most : count;
    rows->row = xalloc((rows->count + 1) * sizeof *rows->row);
    for (size_t i = 0; i < rows->count; i++) {
        size_t chosen = rows->count < count ? i * (count - 1) / (rows->count - 1) : i;
        make_row(rows, i, &rows->answer.changes[chosen]);
    }
}

static void rows_deinit(struct rows *rows)
{
    for (size_t i = 0; rows->row && i < rows->count; i++) {
        free(rows->row[i].old);
        free(rows->row[i].new);
        free(rows->row[i].function);
    }
    free(rows->row);
    free(rows->first);
    subject_destroy(rows->subject);
}

/* --- a list ----------------------------------------------------------------------------------- */

static void dbg_history_say_place(struct dbg *d, const struct rows *rows, u64 pc, u64 tick,
                                  u32 thread)
{
    struct function_info function;
    struct line_place line;
    bool known = symbols_function(rows->symbols, pc, &function);
    if (symbols_line(rows->symbols, pc, &line)) {
        char *file = dbg_short_path(d, line.file);
        dbg_say(d, "%s:%u in ", file, line.line);
        free(file);
    }
    dbg_say(d, "%s, thread %u, moment %llu:0x%llx\n", known ? function.name : "??", thread,
            (unsigned long long)tick, (unsigned long long)pc);
}

static void dbg_history_say_row(struct dbg *d, const struct rows *rows,
                                const struct history_row *row, int width)
{
    const struct history_change *c = row->change;
    char *value = c->old.gone ? xformat("first seen: %s", row->new)
                              : xformat("%s -> %s%s", row->old, row->new,
                                        c->unseen ? " (optimised out in between)" : "");
    dbg_say(d, "%-*s  ", width, value);
    free(value);
    dbg_history_say_place(d, rows, c->at.pc, c->at.tick, c->thread);
}

static void say_first(struct dbg *d, const struct rows *rows, int width)
{
    const struct plan_hit *w = &rows->cover.write;
    char *value = xformat("first: %s", rows->first);
    dbg_say(d, "%-*s  ", width, value);
    free(value);
    dbg_history_say_place(d, rows, w->pc, w->tick, w->thread);
}

static void say_list(struct dbg *d, const struct rows *rows)
{
    enum { WIDTH_MOST = 48 };
    size_t width = rows->first ? strlen(rows->first) + 7 : 0;
    width = width <= WIDTH_MOST ? width : 0;
    for (size_t i = 0; i < rows->count; i++) {
        size_t here = strlen(rows->row[i].old) + strlen(rows->row[i].new) + 4;
        if (here > width && here <= WIDTH_MOST)
            width = here;
    }
    for (size_t i = 0; i < rows->count; i++)
        dbg_history_say_row(d, rows, &rows->row[i], (int)width);
    if (rows->first)
        say_first(d, rows, (int)width);
}

/* Suggests -l: the memory of a value reached from a local exists before and after the call, too. */
static void hint_at_location(struct dbg *d, const struct rows *rows)
{
    const struct subject *s = rows->subject;
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

static void say_left_out(struct dbg *d, const struct rows *rows)
{
    unsigned long long all = rows->answer.count + rows->answer.left_out, left = all - rows->count;
    dbg_say(d,
            "These are %zu of %llu changes, from the first to the last; %llu between them are left "
            "out, "
            "evenly. '-n %llu' lists the newest, 'from' and 'to' a part; --csv all%s.\n",
            rows->count, all, left, all < 1000 ? all : 1000,
            rows->answer.left_out ? " that are kept" : "");
}

static void dbg_history_say_summary(struct dbg *d, const struct rows *rows)
{
    const struct history_answer *a = &rows->answer;
    const char *expression = rows->subject->expression;
    if (a->interrupted)
        dbg_say(d, "Interrupted: these are what was found until then.\n");
    else if (a->more)
        dbg_say(d, "There are more changes.\n");
    else if (rows->subject->is_constant)
        say_constant(d, expression);
    else if (rows->row && rows->count < a->count + a->left_out)
        say_left_out(d, rows);
    else if (!a->count && a->unseen)
        dbg_say(d, "%s is not seen to change: where it is optimised out that is not known.\n",
                expression);
    else if (!a->count && !rows->cover.is_unwritten)
        dbg_say(d, rows->first ? "%s does not change after that.\n" : "%s does not change.\n",
                expression);
    hint_at_location(d, rows);
}

/* --- JSON and comma-separated values ---------------------------------------------------------- */

static void json_row(struct json *j, const struct history_row *row)
{
    const struct history_change *c = row->change;
    json_open(j, NULL, '{');
    json_string(j, "old", row->old);
    json_string(j, "new", row->new);
    json_unsigned(j, "tick", c->at.tick);
    json_hex(j, "pc", c->at.pc);
    json_string(j, "file", row->line.file);
    if (row->line.file)
        json_unsigned(j, "line", row->line.line);
    else
        json_string(j, "line", NULL);
    json_string(j, "function", row->function);
    json_unsigned(j, "thread", c->thread);
    json_close(j, '}');
}

static void json_first(struct json *j, const struct rows *rows)
{
    json_open(j, "first", '{');
    json_string(j, "new", rows->first);
    json_unsigned(j, "tick", rows->cover.write.tick);
    json_hex(j, "pc", rows->cover.write.pc);
    json_unsigned(j, "thread", rows->cover.write.thread);
    json_close(j, '}');
}

static void json_rows(struct json *j, const struct rows *rows)
{
    dbg_cover_json(j, rows->subject, &rows->cover);
    json_open(j, "changes", '[');
    for (size_t i = 0; i < rows->count; i++)
        json_row(j, &rows->row[i]);
    json_close(j, ']');
    if (rows->first)
        json_first(j, rows);
    json_unsigned(j, "left_out", rows->answer.left_out);
    json_bool(j, "more", rows->answer.more);
    json_bool(j, "interrupted", rows->answer.interrupted);
}

/* For --json, when answers are otherwise text. */
static void say_json(struct dbg *d, const struct rows *rows)
{
    struct json j = {.out = d->answer.text};
    json_open(&j, NULL, '{');
    json_rows(&j, rows);
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

static void say_csv(struct dbg *d, const struct rows *rows)
{
    dbg_say(d, "tick,pc,thread,file,line,function,old,new\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct history_row *row = &rows->row[i];
        const struct history_change *c = row->change;
        dbg_say(d, "%llu,0x%llx,%u,", (unsigned long long)c->at.tick, (unsigned long long)c->at.pc,
                c->thread);
        say_cell(d, row->line.file, ',');
        if (row->line.file)
            dbg_say(d, "%u", row->line.line);
        dbg_say(d, ",");
        say_cell(d, row->function, ',');
        say_cell(d, row->old, ',');
        say_cell(d, row->new, '\n');
    }
}

/* --- the command ------------------------------------------------------------------------------ */

static void say_rows(struct dbg *d, const struct asked *a, struct rows *rows)
{
    if (a->form == AS_LIST || a->form == AS_PLOT)
        dbg_cover_say(d, rows->subject, &rows->cover);
    if (a->form == AS_PLOT)
        dbg_plot(d, rows->subject, &rows->answer);
    if (a->form != AS_PLOT || d->json)
        make_rows(rows, a->form == AS_LIST && !d->json && !a->most ? ROWS_SHOWN : 0);
    if (d->json)
        json_rows(dbg_fields(d), rows);
    if (a->form == AS_JSON && !d->json)
        say_json(d, rows);
    if (a->form == AS_CSV)
        say_csv(d, rows);
    if (a->form == AS_LIST)
        say_list(d, rows);
    if (a->form == AS_LIST || a->form == AS_PLOT)
        dbg_history_say_summary(d, rows);
}

static struct error *dbg_history_subject(struct dbg *d, const struct asked *a, struct subject **ret)
{
    if (a->location)
        return debug_subject_location(d->debug, a->expression, ret);
    struct error *err = debug_subject_over_time(d->debug, a->expression, ret);
    if (err)
        return err;
    const struct subject *s = *ret;
    if (s->is_constant && !(s->uses & VALUES_CONSTANT))
        err = error_coded(ERROR_UNAVAILABLE, "%s never changes", s->expression);
    else if (s->is_gone && !s->point_count)
        err = error_coded(ERROR_UNAVAILABLE, "%s is optimised out here", s->expression);
    if (err)
        subject_destroy(*ret);
    if (err)
        *ret = NULL;
    return err;
}

struct error *dbg_history(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct asked a;
    struct rows rows = {0};
    (void)c;
    struct error *err = read_asked(args, &a);
    if (!err)
        err = debug_symbols(d->debug, &rows.symbols);
    if (!err)
        err = dbg_history_subject(d, &a, &rows.subject);
    if (!err)
        err = dbg_history_ask(d, &a, &rows);
    if (!err && !rows.answer.count && !rows.answer.interrupted && rows.subject->missing)
        err = error_coded(ERROR_UNAVAILABLE,
                          "%s has no value here or at any other moment that was asked about: %s",
                          a.expression, rows.subject->missing);
    if (!err)
        say_rows(d, &a, &rows);
    rows_deinit(&rows);
    free(a.text);
    return err;
}
