/* An answer: collected while a command is executed, then printed as text or as one line of JSON
 * (docs/json.md). */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

void dbg_answer_begin(struct dbg *d)
{
    struct dbg_answer *a = &d->answer;
    a->text = open_memstream(&a->text_bytes, &a->text_size);
    a->fields = open_memstream(&a->field_bytes, &a->field_size);
    if (!a->text || !a->fields)
        abort(); /* memory is out */
    a->json = (struct json){.out = a->fields};
}

void dbg_say(struct dbg *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(d->answer.text, format, args);
    va_end(args);
}

void dbg_answer_flush(struct dbg *d)
{
    struct dbg_answer *a = &d->answer;
    if (d->json)
        return;
    fflush(a->text);
    fwrite(a->text_bytes, 1, a->text_size, stdout);
    fflush(stdout);
    rewind(a->text); /* the stream's position is its length */
}

void dbg_colour(struct dbg *d, const char *code)
{
    if (d->settings.colour && !d->json)
        dbg_say(d, "\033[%sm", code);
}

struct json *dbg_fields(struct dbg *d)
{
    return &d->answer.json;
}

/* The position of a memory stream is its length. */
struct dbg_field_mark dbg_fields_mark(struct dbg *d)
{
    return (struct dbg_field_mark){ftell(d->answer.fields), d->answer.json.some};
}

void dbg_fields_take_back(struct dbg *d, struct dbg_field_mark mark)
{
    fseek(d->answer.fields, mark.at, SEEK_SET);
    d->answer.json.some = mark.some;
}

/* Makes the path relative to the directory in which the program was started, if it is below
 * that. */
char *dbg_short_path(const struct dbg *d, const char *path)
{
    const char *directory = d->debug->rec->meta.directory;
    size_t length = directory ? strlen(directory) : 0;
    if (length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/')
        path += length + 1;
    return xformat("%s", path);
}

static void dbg_answer_print_json(struct dbg *d, const char *command, const struct error *err)
{
    struct dbg_answer *a = &d->answer;
    struct json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_string(&j, "cmd", command);
    json_bool(&j, "ok", !err);
    dbg_json_place(d, &j);
    if (a->field_size)
        printf(",%s", a->field_bytes);
    if (a->text_size)
        json_string(&j, "text", a->text_bytes);
    if (err) {
        json_string(&j, "error", error_text(err));
        json_string(&j, "code", error_code_name(error_code(err)));
    }
    json_close(&j, '}');
    json_line(&j);
}

static void dbg_answer_print_text(struct dbg *d, const struct error *err)
{
    fwrite(d->answer.text_bytes, 1, d->answer.text_size, stdout);
    if (err)
        printf("%s%s%s\n", d->settings.colour ? "\033[31m" : "", error_text(err),
               d->settings.colour ? "\033[m" : "");
}

void dbg_answer_end(struct dbg *d, const char *command, struct error *err)
{
    struct dbg_answer *a = &d->answer;
    fclose(a->text);
    fclose(a->fields);
    if (d->json)
        dbg_answer_print_json(d, command, err);
    else
        dbg_answer_print_text(d, err);
    fflush(stdout);
    free(a->text_bytes);
    free(a->field_bytes);
    *a = (struct dbg_answer){0};
    error_destroy(err);
}

/* Can be called within another command, or between two. */
char *dbg_capture_line(struct dbg *d, const char *line, struct error **ret_failed)
{
    struct dbg_answer outer = d->answer;
    bool colour = d->settings.colour;
    dbg_answer_begin(d);
    d->settings.colour = false;
    *ret_failed = dbg_run_line(d, line);
    d->settings.colour = colour;
    fclose(d->answer.text);
    fclose(d->answer.fields);
    char *text = d->answer.text_bytes;
    free(d->answer.field_bytes);
    d->answer = outer;
    return text;
}

char *dbg_capture(struct dbg *d, const char *line)
{
    struct error *failed;
    char *text = dbg_capture_line(d, line, &failed);
    if (!failed)
        return text;
    char *whole = xformat("%s%s\n", text, error_text(failed));
    error_destroy(failed);
    free(text);
    return whole;
}
