/* The connection to a client: see the header.
 *
 * A message is `Content-Length: N`, an empty line, and N bytes of JSON. A malformed message is
 * passed on with an error, so that the client is told. Then reading resumes at the next
 * `Content-Length`.
 */
#include "front/dap/dap_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "debug/debug.h"

enum {
    HEADER_MOST = 4096,      /* maximum length of a header line */
    CONTENT_MOST = 64 << 20, /* maximum size of a message */
    INPUT_ROOM = 1 << 16,
    PROGRESS_ROOM = 32,
};

struct dap_wire {
    int in, out;
    pthread_t thread;
    bool has_thread;
    int stop[2]; /* a pipe: closing it ends the thread */

    /* used by the thread */
    char input[INPUT_ROOM];
    size_t input_at, input_size;

    /* protects what both threads use: */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct dap_message *first, **last;
    bool gone;    /* no more messages will come */
    bool is_busy; /* a request is being handled: */
    i64 seq;
    char progress[PROGRESS_ROOM];
    bool wants_end, was_cancelled;
    bool out_failed; /* used by the main thread only */
};

void dap_message_destroy(struct dap_message *m)
{
    if (!m)
        return;
    json_destroy(m->content);
    free(m->why);
    free(m);
}

/* --- reading: in the thread ------------------------------------------------------------------- */

/* False: the end of the connection. */
static bool fill_input(struct dap_wire *w)
{
    struct pollfd fds[2] = {{.fd = w->in, .events = POLLIN}, {.fd = w->stop[0], .events = POLLIN}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR)
        ;
    if (fds[1].revents)
        return false;
    ssize_t got;
    while ((got = read(w->in, w->input, sizeof w->input)) < 0 && errno == EINTR)
        ;
    w->input_at = 0;
    w->input_size = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static int next_byte(struct dap_wire *w)
{
    if (w->input_at == w->input_size && !fill_input(w))
        return -1;
    return (u8)w->input[w->input_at++];
}

static bool read_content(struct dap_wire *w, char *to, size_t size)
{
    while (size) {
        if (w->input_at == w->input_size && !fill_input(w))
            return false;
        size_t part = w->input_size - w->input_at;
        part = part < size ? part : size;
        memcpy(to, w->input + w->input_at, part);
        w->input_at += part;
        to += part;
        size -= part;
    }
    return true;
}

/* Reads a line without its newline; of one that is too long, the last bytes. False: the end of the
 * connection. */
static bool read_line(struct dap_wire *w, char line[HEADER_MOST])
{
    size_t size = 0;
    int c;
    while ((c = next_byte(w)) >= 0 && c != '\n') {
        if (size == HEADER_MOST - 1) {
            memmove(line, line + HEADER_MOST / 2, size - HEADER_MOST / 2);
            size -= HEADER_MOST / 2;
        }
        line[size++] = c ? (char)c : '?';
    }
    if (c < 0)
        return false;
    if (size && line[size - 1] == '\r')
        size--;
    line[size] = '\0';
    return true;
}

static const char length_name[] = "content-length:";

/* Returns the last place where the name of the length occurs in the line; NULL: nowhere. */
static const char *find_length(const char *line)
{
    const char *found = NULL;
    for (; *line; line++)
        if (strncasecmp(line, length_name, sizeof length_name - 1) == 0)
            found = line;
    return found;
}

static bool read_length(const char *text, size_t *ret)
{
    size_t n = 0, digits = 0;
    text += strspn(text, " \t");
    for (; *text >= '0' && *text <= '9'; text++, digits++)
        if ((n = n * 10 + (size_t)(*text - '0')) > CONTENT_MOST)
            return false;
    *ret = n;
    return digits && !text[strspn(text, " \t")];
}

struct header {
    bool has_length;
    size_t length;
    char *why; /* NULL: no error so far */
};

static void take_header_line(struct header *h, const char *line)
{
    const char *found = find_length(line);
    if (found && !read_length(found + sizeof length_name - 1, &h->length)) {
        free(h->why);
        h->why = xformat("not a length of a message: '%.60s'", found);
        h->has_length = false;
    } else if (found) {
        h->has_length = true;
    }
    if (!h->why && found != line && (found || !strchr(line, ':')))
        h->why = xformat("not a line of a header: '%.60s'", line);
}

/* Reads up to the empty line. Lines that are not headers are skipped until a length was found. */
static bool wire_read_header(struct dap_wire *w, struct header *h)
{
    char line[HEADER_MOST];
    *h = (struct header){0};
    do {
        if (!read_line(w, line))
            return false;
        if (*line)
            take_header_line(h, line);
    } while (*line || (!h->has_length && !h->why));
    return true;
}

static struct dap_message *read_message(struct dap_wire *w)
{
    struct header h;
    struct dap_message *m = xalloc(sizeof *m);
    *m = (struct dap_message){0};
    if (!wire_read_header(w, &h)) {
        free(h.why);
        free(m);
        return NULL;
    }
    if (!h.has_length) {
        m->why = h.why;
        return m;
    }
    free(h.why);
    char *text = malloc(h.length + 1);
    if (!text || !read_content(w, text, h.length)) {
        free(text);
        free(m);
        return NULL;
    }
    const char *why;
    size_t at;
    m->content = json_read(text, h.length, &why, &at);
    if (!m->content)
        m->why = xformat("not JSON: %s at byte %zu", why, at);
    free(text);
    return m;
}

/* --- what cannot wait ------------------------------------------------------------------------- */

static void ask_to_end(struct dap_wire *w, bool cancelled)
{
    if (!w->is_busy)
        return;
    w->wants_end = true;
    w->was_cancelled |= cancelled;
    debug_interrupt();
}

static void take_cancel(struct dap_wire *w, const struct json_value *arguments)
{
    const char *id = json_member_text(arguments, "progressId", "");
    i64 seq = json_member_integer(arguments, "requestId", 0);
    if (w->is_busy && ((seq && seq == w->seq) || (*id && strcmp(id, w->progress) == 0)))
        ask_to_end(w, true);
    for (struct dap_message *m = w->first; m; m = m->next)
        if (seq && m->seq == seq)
            m->is_cancelled = true;
}

static bool message_leaves(const struct dap_message *m)
{
    return m->command &&
           (strcmp(m->command, "disconnect") == 0 || strcmp(m->command, "terminate") == 0);
}

static void take_message(struct dap_wire *w, struct dap_message *m)
{
    const struct json_value *type = json_member(m->content, "type");
    if (type && type->kind == JSON_STRING && strcmp(type->text, "request") == 0) {
        m->command = json_member_text(m->content, "command", NULL);
        m->seq = json_member_integer(m->content, "seq", 0);
    }
    pthread_mutex_lock(&w->lock);
    if (m->command && strcmp(m->command, "cancel") == 0)
        take_cancel(w, json_member(m->content, "arguments"));
    if (message_leaves(m) || (m->command && strcmp(m->command, "pause") == 0))
        ask_to_end(w, false);
    *w->last = m;
    w->last = &m->next;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void *read_all(void *context)
{
    struct dap_wire *w = context;
    struct dap_message *m;
    while ((m = read_message(w)))
        take_message(w, m);
    pthread_mutex_lock(&w->lock);
    w->gone = true;
    ask_to_end(w, false);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* --- the main thread's ------------------------------------------------------------------------ */

struct error *dap_wire_open(int in, int out, struct dap_wire **ret)
{
    struct dap_wire *w = xalloc(sizeof *w);
    *w = (struct dap_wire){.in = in, .out = out, .stop = {-1, -1}};
    w->last = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    int failed =
        pipe2(w->stop, O_CLOEXEC) != 0 ? errno : pthread_create(&w->thread, NULL, read_all, w);
    if (failed) {
        dap_wire_close(w);
        return error_errno(failed, "cannot listen to the client");
    }
    w->has_thread = true;
    *ret = w;
    return NULL;
}

void dap_wire_close(struct dap_wire *w)
{
    if (!w)
        return;
    if (w->stop[1] >= 0)
        close(w->stop[1]);
    if (w->has_thread)
        pthread_join(w->thread, NULL);
    if (w->stop[0] >= 0)
        close(w->stop[0]);
    close(w->in);
    if (w->out != w->in)
        close(w->out);
    while (w->first) {
        struct dap_message *m = w->first;
        w->first = m->next;
        dap_message_destroy(m);
    }
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    free(w);
}

struct dap_message *dap_wire_next(struct dap_wire *w, bool (*idle)(void *), void *context)
{
    bool works = true;
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->gone) {
        if (!works) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        works = idle(context);
        pthread_mutex_lock(&w->lock);
    }
    struct dap_message *m = w->first;
    if (m) {
        w->first = m->next;
        if (!w->first)
            w->last = &w->first;
        m->next = NULL;
    }
    pthread_mutex_unlock(&w->lock);
    return m;
}

static bool wire_write(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

void dap_wire_send(struct dap_wire *w, const char *bytes, size_t size)
{
    char *header = xformat("Content-Length: %zu\r\n\r\n", size);
    size_t length = strlen(header);
    char *whole = xalloc(length + size);
    memcpy(whole, header, length);
    memcpy(whole + length, bytes, size);
    w->out_failed = w->out_failed || !wire_write(w->out, whole, length + size);
    free(whole);
    free(header);
}

void dap_wire_begin(struct dap_wire *w, i64 seq)
{
    pthread_mutex_lock(&w->lock);
    w->is_busy = true;
    w->seq = seq;
    w->wants_end = w->was_cancelled = false;
    for (struct dap_message *m = w->first; m; m = m->next)
        w->wants_end |= message_leaves(m) || (m->command && strcmp(m->command, "pause") == 0);
    pthread_mutex_unlock(&w->lock);
}

void dap_wire_end(struct dap_wire *w)
{
    pthread_mutex_lock(&w->lock);
    w->is_busy = false;
    *w->progress = '\0';
    pthread_mutex_unlock(&w->lock);
}

void dap_wire_progress(struct dap_wire *w, const char *id)
{
    pthread_mutex_lock(&w->lock);
    strncpy(w->progress, id, sizeof w->progress - 1);
    pthread_mutex_unlock(&w->lock);
}

bool dap_wire_wants_end(struct dap_wire *w)
{
    pthread_mutex_lock(&w->lock);
    bool wants = w->wants_end;
    pthread_mutex_unlock(&w->lock);
    return wants;
}

bool dap_wire_was_cancelled(struct dap_wire *w)
{
    pthread_mutex_lock(&w->lock);
    bool was = w->was_cancelled;
    pthread_mutex_unlock(&w->lock);
    return was;
}

bool dap_wire_is_leaving(struct dap_wire *w)
{
    pthread_mutex_lock(&w->lock);
    bool leaves = w->gone;
    for (struct dap_message *m = w->first; m; m = m->next)
        leaves |= message_leaves(m);
    pthread_mutex_unlock(&w->lock);
    return leaves;
}
