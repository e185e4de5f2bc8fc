/* trace: a line of text for each time that the program came to a place, as if the program had
 * printed it; output: what the program did print, line by line.
 *
 *     trace list.c:47 "insert {name}, {n + 1} so far" where n > 3
 *     output /error/
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* --- trace ------------------------------------------------------------------------------------ */

/* The text between expressions: piece 0, expression 0, piece 1, ... */
struct trace_text {
    struct list pieces, expressions; /* char * */
};

static void trace_text_deinit(struct trace_text *t)
{
    struct list *lists[] = {&t->pieces, &t->expressions};
    for (size_t n = 0; n < countof(lists); n++) {
        for (size_t i = 0; i < lists[n]->count; i++)
            free(((char **)lists[n]->items)[i]);
        list_deinit(lists[n]);
    }
}

static void trace_add(struct list *to, const char *from, size_t length)
{
    *(char **)list_add(to) = xformat("%.*s", (int)length, from);
}

static char trace_escape(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* From the opening brace to the one that closes it; NULL: none does. */
static const char *trace_brace_end(const char *at)
{
    unsigned deep = 0;
    for (; *at; at++) {
        deep += *at == '{';
        if (*at == '}' && --deep == 0)
            return at;
    }
    return NULL;
}

/* The text in quotes; *at is moved to after it. */
static struct error *trace_read_text(const char **at, struct trace_text *ret)
{
    char *piece = xalloc(strlen(*at) + 1);
    size_t length = 0;
    const char *from = *at + 1;
    struct error *err = NULL;
    while (*from && *from != '"' && !err) {
        const char *end = *from == '{' && from[1] != '{' ? trace_brace_end(from) : NULL;
        if (end) {
            trace_add(&ret->pieces, piece, length);
            trace_add(&ret->expressions, from + 1, (size_t)(end - from - 1));
            length = 0;
            from = end + 1;
        } else if (*from == '{' && from[1] != '{') {
            err = error_coded(ERROR_MISUSED, "an expression in the text has no '}'");
        } else if ((*from == '{' || *from == '}') && from[1] == *from) {
            piece[length++] = *from;
            from += 2;
        } else if (*from == '\\' && from[1]) {
            piece[length++] = trace_escape(from[1]);
            from += 2;
        } else {
            piece[length++] = *from++;
        }
    }
    if (!err && *from != '"')
        err = error_coded(ERROR_MISUSED, "the text has no '\"' at its end");
    trace_add(&ret->pieces, piece, length);
    free(piece);
    *at = *from ? from + 1 : from;
    return err;
}

struct trace_rows {
    struct dbg *d;
    const struct trace_text *text;
    u64 count;
};

static bool trace_take_row(void *context, const struct ask_row *row)
{
    struct trace_rows *t = context;
    char *const *pieces = t->text->pieces.items;
    char *moment = debug_moment_text(row->at);
    t->count++;
    if (t->d->json)
        ask_json_row(dbg_fields(t->d), row);
    dbg_say(t->d, "%5llu  %-22s  ", (unsigned long long)t->count, moment);
    for (size_t i = 0; i < t->text->pieces.count; i++) {
        dbg_say(t->d, "%s", pieces[i]);
        if (i < row->cell_count)
            dbg_say(t->d, "%s", row->cells[i].text);
    }
    dbg_say(t->d, "\n");
    dbg_table_flush(t->d, t->count);
    free(moment);
    return true;
}

static struct error *trace_ask(struct dbg *d, const char *location, const struct trace_text *text,
                               struct ask_question *q)
{
    struct trace_rows rows = {.d = d, .text = text};
    struct ask_answer answer;
    struct debug_asking how = {.location = location, .shown = text->expressions.items,
                               .shown_count = text->expressions.count, .row = trace_take_row,
                               .context = &rows};
    struct dbg_field_mark mark = dbg_fields_mark(d);
    if (d->json)
        json_open(dbg_fields(d), "rows", '[');
    struct error *err = debug_ask(d->debug, q, &how, &answer);
    if (err) {
        dbg_fields_take_back(d, mark);
        return err;
    }
    if (d->json)
        json_close(dbg_fields(d), ']');
    if (!answer.count && !answer.interrupted)
        dbg_say(d, "The program did not reach this location.\n");
    if (answer.interrupted)
        dbg_say(d, "Interrupted at tick %llu: there may be more.\n",
                (unsigned long long)answer.reached.tick);
    json_bool(dbg_fields(d), "interrupted", answer.interrupted);
    free(answer.note);
    return NULL;
}

/* trace LOCATION "text {expression}" [where CONTEXT] [from A] [to B] */
struct error *dbg_trace(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct trace_text text = {LIST(char *), LIST(char *)};
    struct ask_question *q;
    const char *at = strchr(args, '"');
    (void)c;
    size_t length = at ? (size_t)(at - args) : 0;
    while (length && isspace((u8)args[length - 1]))
        length--;
    if (!length)
        return error_coded(ERROR_MISUSED, "trace needs a place and a text: trace LOCATION "
                           "\"total is {total}\"");
    char *location = xformat("%.*s", (int)length, args);
    struct error *err = trace_read_text(&at, &text);
    char *question = err ? NULL : xformat("list line %s", at);
    if (!err)
        err = ask_parse(question, &q);
    if (!err) {
        err = trace_ask(d, location, &text, q);
        ask_question_destroy(q);
    }
    free(question);
    free(location);
    trace_text_deinit(&text);
    return err;
}

/* --- output ----------------------------------------------------------------------------------- */

struct output_lines {
    struct dbg *d;
    u64 count;
};

/* Bytes that a terminal would not show are written as C does. */
static void output_say(struct dbg *d, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        u8 c = (u8)text[i];
        if (c == '\t' || (c >= ' ' && c != 127))
            dbg_say(d, "%c", c);
        else
            dbg_say(d, "\\%03o", c);
    }
}

static bool output_take_line(void *context, const struct debug_printed *line)
{
    struct output_lines *o = context;
    char *moment = debug_moment_text(line->at);
    o->count++;
    if (o->d->json) {
        struct json *j = dbg_fields(o->d);
        ask_json_open(j, line->at, line->thread);
        json_unsigned(j, "fd", line->fd);
        json_string(j, "text", line->text);
        json_close(j, '}');
    }
    if (o->count == 1)
        dbg_say(o->d, " line  %-22s  thread  fd  text\n", "moment");
    dbg_say(o->d, "%5llu  %-22s  %6u  %2llu  ", (unsigned long long)o->count, moment,
            line->thread, (unsigned long long)line->fd);
    output_say(o->d, line->text, line->size);
    dbg_say(o->d, "\n");
    dbg_table_flush(o->d, o->count);
    free(moment);
    return true;
}

/* [/REGEX/] [fd N | all]; false: this is an expression, for gdb's command of the same name. */
static bool output_read(const char *args, struct debug_output *how, char **ret_regex)
{
    const char *end = *args == '/' ? strrchr(args + 1, '/') : NULL;
    *ret_regex = NULL;
    *how = (struct debug_output){.fd = DEBUG_FD_STANDARD};
    if (*args == '/' && !end)
        return false;
    const char *rest = end ? end + 1 : args;
    rest += strspn(rest, " ");
    if (strcmp(rest, "all") == 0)
        how->fd = DEBUG_FD_ALL;
    else if (strncmp(rest, "fd ", 3) == 0 && isdigit((u8)rest[3]))
        how->fd = strtoll(rest + 3, NULL, 10);
    else if (*rest)
        return false;
    if (end)
        *ret_regex = xformat("%.*s", (int)(end + 1 - args), args);
    return true;
}

static struct error *output_ask(struct dbg *d, struct debug_output *how)
{
    struct output_lines lines = {.d = d};
    bool interrupted;
    struct dbg_field_mark mark = dbg_fields_mark(d);
    how->line = output_take_line;
    how->context = &lines;
    if (d->json)
        json_open(dbg_fields(d), "lines", '[');
    struct error *err = debug_output_ask(d->debug, how, &interrupted);
    if (err) {
        dbg_fields_take_back(d, mark);
        return err;
    }
    if (d->json)
        json_close(dbg_fields(d), ']');
    if (!lines.count)
        dbg_say(d, how->like ? "No line that the program wrote matches.\n"
                             : "The program wrote nothing there.\n");
    if (interrupted)
        dbg_say(d, "Interrupted: there may be more.\n");
    json_bool(dbg_fields(d), "interrupted", interrupted);
    return NULL;
}

struct error *dbg_output(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct debug_output how;
    regex_t like;
    char *regex;
    if (!output_read(args, &how, &regex))
        return dbg_output_value(d, c, args);
    struct error *err = regex ? debug_compile_output(regex, &like) : NULL;
    if (!err) {
        how.like = regex ? &like : NULL;
        err = output_ask(d, &how);
        if (regex)
            regfree(&like);
    }
    free(regex);
    return err;
}

/* events [where CONTEXT] [from A] [to B] */
struct error *dbg_events(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char *question = xformat("list event %s", args);
    struct error *err = dbg_ask(d, c, question);
    free(question);
    return err;
}
