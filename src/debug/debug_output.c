/* What the program wrote, line by line, and the moments at which it did.
 *
 * The lines are put together from the calls that write, for each descriptor alone: a call may write
 * several lines, or a part of one.  `output 3`, `output -1` and `output /REGEX/` are words for the
 * moment of a line: the third, the last, the newest before here that fits.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* A line that has not ended yet. */
struct output_stream {
    u64 fd;
    bool begun;
    struct moment at;
    u32 thread;
    struct list text; /* char */
};

struct output_pass {
    const struct debug_output *how;
    struct debug *d;
    struct list streams; /* struct output_stream */
    bool notes_rows, enough;
};

static struct output_stream *stream_of(struct output_pass *p, u64 fd)
{
    struct output_stream *s = p->streams.items;
    for (size_t i = 0; i < p->streams.count; i++)
        if (s[i].fd == fd)
            return &s[i];
    s = list_add(&p->streams);
    *s = (struct output_stream){.fd = fd, .text = LIST(char)};
    return s;
}

static void stream_add(struct output_stream *s, const struct ask_row *row, const char *text,
                       size_t size)
{
    if (!s->begun) {
        s->begun = true;
        s->at = row->at;
        s->thread = row->thread;
        s->text.count = 0;
    }
    for (size_t i = 0; i < size; i++)
        *(char *)list_add(&s->text) = text[i];
}

static void stream_end_line(struct output_pass *p, struct output_stream *s)
{
    *(char *)list_add(&s->text) = 0;
    const struct debug_printed line = {s->at, s->thread, s->fd, s->text.items, s->text.count - 1};
    s->begun = false;
    if (p->how->like && regexec(p->how->like, line.text, 0, NULL, 0) != 0)
        return;
    if (p->notes_rows)
        debug_rows_add(p->d, s->at);
    p->enough |= !p->how->line(p->how->context, &line);
}

static bool take_write(void *context, const struct ask_row *row)
{
    struct output_pass *p = context;
    i64 fd = (i64)row->fd;
    if (fd != p->how->fd && p->how->fd != DEBUG_FD_ALL &&
        !(p->how->fd == DEBUG_FD_STANDARD && (fd == 1 || fd == 2)))
        return true;
    struct output_stream *s = stream_of(p, row->fd);
    for (size_t at = 0; at < row->text_size && !p->enough;) {
        const char *from = row->text + at;
        const char *end = memchr(from, '\n', row->text_size - at);
        size_t size = end ? (size_t)(end - from) : row->text_size - at;
        stream_add(s, row, from, size);
        if (end)
            stream_end_line(p, s);
        at += size + (end ? 1 : 0);
    }
    return !p->enough;
}

static struct error *output_run(struct debug *d, const struct debug_output *how, bool notes_rows,
                                bool *ret_interrupted)
{
    struct output_pass p = {.how = how, .d = d, .streams = LIST(struct output_stream),
                            .notes_rows = notes_rows};
    struct ask_question *q;
    struct ask_answer answer = {0};
    struct error *err = ask_parse("list output", &q);
    if (err)
        return err;
    err = debug_ask_rows_apart(d, q, take_write, &p, &answer);
    struct output_stream *s = p.streams.items;
    for (size_t i = 0; i < p.streams.count; i++) {
        if (!err && s[i].begun && !p.enough && !answer.interrupted)
            stream_end_line(&p, &s[i]);
        list_deinit(&s[i].text);
    }
    list_deinit(&p.streams);
    ask_question_destroy(q);
    free(answer.note);
    *ret_interrupted = answer.interrupted;
    return err;
}

struct error *debug_output_ask(struct debug *d, const struct debug_output *how,
                               bool *ret_interrupted)
{
    debug_rows_begin(d);
    return output_run(d, how, true, ret_interrupted);
}

/* --- words for moments ------------------------------------------------------------------------ */

bool debug_output_named(const char *words)
{
    const char *rest = words + strlen("output ");
    if (strncmp(words, "output ", strlen("output ")) != 0)
        return false;
    return *rest == '/' || isdigit((u8)*rest) || (*rest == '-' && isdigit((u8)rest[1]));
}

/* Moments of lines, in their order. */
static bool keep_moment(void *context, const struct debug_printed *line)
{
    *(struct moment *)list_add(context) = line->at;
    return true;
}

static struct error *output_moments(struct debug *d, const regex_t *like, struct list *ret)
{
    bool interrupted;
    struct debug_output how = {.fd = DEBUG_FD_STANDARD, .like = like, .line = keep_moment,
                               .context = ret};
    struct error *err = output_run(d, &how, false, &interrupted);
    if (!err && interrupted)
        err = error_coded(ERROR_INTERRUPTED, "interrupted; you are where you were");
    return err;
}

static struct error *output_by_number(const struct list *lines, const char *text,
                                      struct moment *ret)
{
    i64 number = strtoll(text, NULL, 10), count = (i64)lines->count;
    i64 index = number < 0 ? count + number : number - 1;
    if (index < 0 || index >= count)
        return error_coded(ERROR_NOT_FOUND, "the program wrote %lld line%s; 'output' lists them",
                           (long long)count, count == 1 ? "" : "s");
    *ret = ((const struct moment *)lines->items)[index];
    return NULL;
}

static struct error *output_before_here(struct debug *d, const struct list *lines,
                                        const char *words, struct moment *ret)
{
    struct session_place place;
    const struct moment *at = lines->items;
    session_place(d->session, &place);
    for (size_t i = lines->count; i-- > 0;)
        if (moment_compare(at[i], place.at) < 0) {
            *ret = at[i];
            return NULL;
        }
    if (!lines->count)
        return error_coded(ERROR_NOT_FOUND, "no line that the program wrote matches %s", words);
    return error_coded(ERROR_NOT_FOUND, "no line before here matches %s, but %zu after it do; "
                       "'output %s' lists them", words, lines->count, words);
}

struct error *debug_compile_output(const char *words, regex_t *ret)
{
    char *pattern = xformat("%s", words + 1);
    size_t length = strlen(pattern);
    if (length && pattern[length - 1] == '/')
        pattern[length - 1] = 0;
    int status = regcomp(ret, pattern, REG_EXTENDED | REG_NOSUB);
    free(pattern);
    return status ? error_coded(ERROR_MISUSED, "%s is not a regular expression", words) : NULL;
}

struct error *debug_find_output(struct debug *d, const char *words, struct moment *ret)
{
    const char *rest = words + strlen("output ");
    struct list lines = LIST(struct moment);
    regex_t like;
    bool by_text = *rest == '/';
    struct error *err = by_text ? debug_compile_output(rest, &like) : NULL;
    if (err)
        return err;
    err = output_moments(d, by_text ? &like : NULL, &lines);
    if (!err)
        err = by_text ? output_before_here(d, &lines, rest, ret)
                      : output_by_number(&lines, rest, ret);
    if (by_text)
        regfree(&like);
    list_deinit(&lines);
    return err;
}
