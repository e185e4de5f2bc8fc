/* ask, calls and similar commands: questions over the whole run, answered by a table.
 *
 *     row  moment             thread  function  line      values
 *       1  8394:0x4fffc1a7         0  insert    list.c:7  n=5, caller=main
 *
 * Rows are printed as they are found.  `goto row N` goes to one.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { FOUND_MOST = 50, FLUSHED_EVERY = 64 };

struct ask_table {
    struct dbg *d;
    int form; /* enum dbg_form */
    u64 rows;
    bool head;
};

/* --- rows ------------------------------------------------------------------------------------- */

void dbg_say_quoted(struct dbg *d, const char *text)
{
    dbg_say(d, "\"");
    for (const char *at = text ? text : ""; *at; at++)
        dbg_say(d, *at == '"' ? "\"\"" : "%c", *at);
    dbg_say(d, "\"");
}

static char *ask_cells_text(const struct ask_row *row)
{
    char *text = xformat("%s", "");
    for (size_t i = 0; i < row->cell_count; i++) {
        char *longer = xformat("%s%s%s=%s", text, i ? ", " : "", row->cells[i].name,
                               row->cells[i].text);
        free(text);
        text = longer;
    }
    return text;
}

static void ask_say_csv(struct ask_table *t, const struct ask_row *row)
{
    struct dbg *d = t->d;
    char *cells = ask_cells_text(row);
    if (!t->head)
        dbg_say(d, "row,tick,pc,thread,function,file,line,values\n");
    t->head = true;
    dbg_say(d, "%llu,%llu,0x%llx,%u,", (unsigned long long)t->rows,
            (unsigned long long)row->at.tick, (unsigned long long)row->at.pc, row->thread);
    dbg_say_quoted(d, row->function);
    dbg_say(d, ",");
    dbg_say_quoted(d, row->file);
    dbg_say(d, ",%u,", row->line);
    dbg_say_quoted(d, cells);
    dbg_say(d, "\n");
    free(cells);
}

void ask_json_open(struct json *j, struct moment at, u32 thread)
{
    json_open(j, NULL, '{');
    json_unsigned(j, "tick", at.tick);
    json_hex(j, "pc", at.pc);
    json_unsigned(j, "thread", thread);
}

void ask_json_row(struct json *j, const struct ask_row *row)
{
    ask_json_open(j, row->at, row->thread);
    json_string(j, "function", row->function);
    json_string(j, "file", row->file);
    if (row->file)
        json_unsigned(j, "line", row->line);
    else
        json_string(j, "line", NULL);
    json_open(j, "values", '{');
    for (size_t i = 0; i < row->cell_count; i++)
        json_string(j, row->cells[i].name, row->cells[i].text);
    json_close(j, '}');
    json_close(j, '}');
}

static void ask_say_text(struct ask_table *t, const struct ask_row *row)
{
    struct dbg *d = t->d;
    char *moment = debug_moment_text(row->at);
    const char *slash = row->file ? strrchr(row->file, '/') : NULL;
    char *line = row->file ? xformat("%s:%u", slash ? slash + 1 : row->file, row->line)
                           : xformat("-");
    char *cells = ask_cells_text(row);
    if (!t->head)
        dbg_say(d, "  row  %-22s  thread  %-18s  %-16s  values\n", "moment", "function", "line");
    t->head = true;
    dbg_say(d, "%5llu  %-22s  %6u  %-18s  ", (unsigned long long)t->rows, moment, row->thread,
            row->function ? row->function : "??");
    if (*cells)
        dbg_say(d, "%-16s  %s\n", line, cells);
    else
        dbg_say(d, "%s\n", line);
    free(moment);
    free(line);
    free(cells);
}

void dbg_table_flush(struct dbg *d, u64 rows)
{
    if (!d->is_lent && !d->tui && rows % FLUSHED_EVERY == 0)
        dbg_answer_flush(d);
}

static bool ask_take_row(void *context, const struct ask_row *row)
{
    struct ask_table *t = context;
    t->rows++;
    if (t->d->json) {
        ask_json_row(dbg_fields(t->d), row);
    } else if (t->form == FORM_JSON) {
        struct json j = {.out = t->d->answer.text};
        ask_json_row(&j, row);
        dbg_say(t->d, "\n");
    } else if (t->form == FORM_CSV) {
        ask_say_csv(t, row);
    } else {
        ask_say_text(t, row);
    }
    dbg_table_flush(t->d, t->rows);
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void ask_say_summary(struct ask_table *t, const struct ask_question *q,
                            const struct ask_answer *a)
{
    struct dbg *d = t->d;
    if (t->form != FORM_TEXT)
        return;
    if (q->verb == ASK_COUNT)
        dbg_say(d, "%llu\n", (unsigned long long)a->count);
    else if (!a->count && !a->interrupted)
        dbg_say(d, "There is no such event.\n");
    if (a->more && q->verb == ASK_FIND)
        dbg_say(d, "There are more; 'ask list' shows all of them.\n");
    if (a->interrupted)
        dbg_say(d, "Interrupted at tick %llu: this is what was found until then.\n",
                (unsigned long long)a->reached.tick);
    if (a->note)
        dbg_say(d, "%s\n", a->note);
}

static void ask_json_summary(struct dbg *d, const struct ask_answer *a)
{
    struct json *j = dbg_fields(d);
    json_unsigned(j, "count", a->count);
    json_bool(j, "more", a->more);
    json_bool(j, "interrupted", a->interrupted);
    if (a->note)
        json_string(j, "note", a->note);
}

struct error *dbg_answer_question(struct dbg *d, struct ask_question *q, int form, u64 most,
                                  bool whole_calls)
{
    struct ask_table t = {.d = d, .form = form};
    struct ask_answer answer;
    struct debug_asking how = {.most = most, .whole_calls = whole_calls, .row = ask_take_row,
                               .context = &t};
    struct dbg_field_mark mark = dbg_fields_mark(d);
    if (d->json && q->verb != ASK_COUNT)
        json_open(dbg_fields(d), "rows", '[');
    struct error *err = debug_ask(d->debug, q, &how, &answer);
    if (err) {
        dbg_fields_take_back(d, mark);
        return err;
    }
    if (d->json && q->verb != ASK_COUNT)
        json_close(dbg_fields(d), ']');
    ask_say_summary(&t, q, &answer);
    ask_json_summary(d, &answer);
    free(answer.note);
    return NULL;
}

/* Takes --json and --csv from the end; the caller frees *ret_text. */
struct error *dbg_take_form(const char *args, int *form, char **ret_text)
{
    static const struct { const char *word; int form; } forms[] = {
        {"--json", FORM_JSON}, {"--csv", FORM_CSV},
    };
    *form = FORM_TEXT;
    *ret_text = xformat("%s", args);
    for (size_t i = 0; i < countof(forms); i++) {
        size_t length = strlen(*ret_text), word = strlen(forms[i].word);
        if (length >= word && !strcmp(*ret_text + length - word, forms[i].word)) {
            *form = forms[i].form;
            (*ret_text)[length - word] = 0;
        } else if (!strncmp(*ret_text, forms[i].word, word) && (*ret_text)[word] == ' ') {
            *form = forms[i].form;
            memmove(*ret_text, *ret_text + word + 1, length - word);
        }
    }
    for (size_t length = strlen(*ret_text); length && (*ret_text)[length - 1] == ' ';)
        (*ret_text)[--length] = 0;
    return NULL;
}

struct error *dbg_ask(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct ask_question *q;
    char *text;
    int form;
    (void)c;
    if (!*args)
        return error_coded(ERROR_MISUSED, "ask what? For example: ask count call where "
                           "func = main");
    struct error *err = dbg_take_form(args, &form, &text);
    if (!err)
        err = ask_parse(text, &q);
    free(text);
    if (err)
        return err;
    err = dbg_answer_question(d, q, form, q->verb == ASK_FIND ? FOUND_MOST : 0, false);
    ask_question_destroy(q);
    return err;
}

/* calls FUNCTION [where CONTEXT] [from A] [to B] */
struct error *dbg_calls(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct ask_question *q;
    char *text, *question;
    int form;
    (void)c;
    if (!*args)
        return error_coded(ERROR_MISUSED, "calls of which function? Its name is missing");
    struct error *err = dbg_take_form(args, &form, &text);
    if (err)
        return err;
    size_t name = strcspn(text, " ");
    const char *rest = text + name + strspn(text + name, " ");
    bool where = strncmp(rest, "where ", 6) == 0;
    const char *range = where ? "" : rest;
    question = where ? xformat("list call where func = %.*s and (%s)", (int)name, text, rest + 6)
                     : xformat("list call where func = %.*s %s", (int)name, text, range);
    err = ask_parse(question, &q);
    free(question);
    free(text);
    if (err)
        return err;
    err = dbg_answer_question(d, q, form, 0, true);
    ask_question_destroy(q);
    return err;
}
