/* Runs a program under `ebb record`, for launch. Its output becomes events.
 *
 * The recorder takes over the signals of its process, so it runs in a separate process of this
 * program. Its last line on standard error has the path of the recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/dap/dap_internal.h"
#include "log/engine_start.h"

enum { POLL_MILLISECONDS = 100, TAIL_ROOM = 8192, OUTPUT_ROOM = 1 << 14 };

/* A pipe from the program. */
struct stream {
    int fd; /* -1: it has ended */
    const char *category;
};

struct run {
    pid_t pid;
    struct stream streams[2];
    char tail[TAIL_ROOM]; /* the end of standard error */
    size_t tail_size;
    bool is_stopped; /* the client left, and the program was told to stop */
};

/* --- the child -------------------------------------------------------------------------------- */

static struct error *strings_of(const struct json_value *args, const char *key, struct list *to)
{
    const struct json_value *v = json_member(args, key);
    if (!v || v->kind == JSON_NULL)
        return NULL;
    if (v->kind != JSON_ARRAY)
        return error_coded(ERROR_MISUSED, "'%s' is not a list of strings", key);
    for (const struct json_value *item = v->first; item; item = item->next) {
        if (item->kind != JSON_STRING)
            return error_coded(ERROR_MISUSED, "'%s' is not a list of strings", key);
        *(const char **)list_add(to) = item->text;
    }
    return NULL;
}

static struct error *check_environment(const struct json_value *env)
{
    if (!env || env->kind == JSON_NULL)
        return NULL;
    bool good = env->kind == JSON_OBJECT;
    for (const struct json_value *m = env->first; m && good; m = m->next)
        good = (m->kind == JSON_STRING || m->kind == JSON_NULL) && *m->key && !strchr(m->key, '=');
    return good ? NULL
                : error_coded(ERROR_MISUSED, "'env' is not an object of strings, by their names");
}

static void set_environment(const struct json_value *env)
{
    for (const struct json_value *m = env ? env->first : NULL; m; m = m->next) {
        if (m->kind == JSON_STRING)
            setenv(m->key, m->text, 1);
        else
            unsetenv(m->key);
    }
}

static void become_recorder(const struct json_value *args, char **argv, const char *directory,
                            const int out[2], const int err[2])
{
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    int none = open("/dev/null", O_RDONLY);
    dup2(none, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    if (none > STDERR_FILENO)
        close(none);
    if (directory && chdir(directory) != 0) {
        dprintf(STDERR_FILENO, "cannot change to %s: %s\n", directory, strerror(errno));
        _exit(126);
    }
    set_environment(json_member(args, "env"));
    engine_return_limits();
    execv("/proc/self/exe", argv);
    dprintf(STDERR_FILENO, "cannot start the recorder: %s\n", strerror(errno));
    _exit(126);
}

static struct error *run_start(struct run *r, const struct json_value *args, char **argv)
{
    int out[2], err[2];
    const char *directory = json_member_text(args, "cwd", NULL);
    if (pipe2(out, O_CLOEXEC) != 0)
        return error_errno(errno, "cannot make a pipe");
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return error_errno(errno, "cannot make a pipe");
    }
    r->pid = fork();
    if (r->pid == 0)
        become_recorder(args, argv, directory, out, err);
    int failed = errno;
    close(out[1]);
    close(err[1]);
    r->streams[0] = (struct stream){out[0], "stdout"};
    r->streams[1] = (struct stream){err[0], "stderr"};
    return r->pid > 0 ? NULL : error_errno(failed, "cannot start the recorder");
}

/* --- its output ------------------------------------------------------------------------------- */

static void keep_tail(struct run *r, const char *bytes, size_t size)
{
    if (size > TAIL_ROOM) {
        bytes += size - TAIL_ROOM;
        size = TAIL_ROOM;
    }
    size_t old = r->tail_size < TAIL_ROOM - size ? r->tail_size : TAIL_ROOM - size;
    memmove(r->tail, r->tail + r->tail_size - old, old);
    memcpy(r->tail + old, bytes, size);
    r->tail_size = old + size;
}

static void run_pass_on(struct dap *s, struct run *r, struct stream *stream)
{
    char room[OUTPUT_ROOM];
    ssize_t got = read(stream->fd, room, sizeof room - 1);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        close(stream->fd);
        stream->fd = -1;
        return;
    }
    if (stream == &r->streams[1])
        keep_tail(r, room, (size_t)got);
    for (ssize_t i = 0; i < got; i++)
        if (!room[i])
            room[i] = '?';
    room[got] = '\0';
    dap_output(s, stream->category, "%s", room);
}

/* A process left by the program may keep the pipes open, so the end of the recorder counts. */
static int run_watch(struct dap *s, struct run *r)
{
    int status = 0;
    bool has_ended = false;
    for (;;) {
        struct pollfd fds[2];
        for (int i = 0; i < 2; i++)
            fds[i] = (struct pollfd){.fd = r->streams[i].fd, .events = POLLIN};
        int ready = poll(fds, 2, has_ended ? 0 : POLL_MILLISECONDS);
        for (int i = 0; i < 2 && ready > 0; i++)
            if (fds[i].revents)
                run_pass_on(s, r, &r->streams[i]);
        if (has_ended && ready <= 0)
            break;
        if (!has_ended)
            has_ended = waitpid(r->pid, &status, WNOHANG) == r->pid;
        if (has_ended && r->streams[0].fd < 0 && r->streams[1].fd < 0)
            break;
        if (!r->is_stopped && (dap_wire_is_leaving(s->wire) || dap_wire_was_cancelled(s->wire))) {
            kill(-r->pid, SIGTERM);
            kill(r->pid, SIGTERM);
            r->is_stopped = true;
        }
        dap_progress(s, NULL);
    }
    for (int i = 0; i < 2; i++)
        if (r->streams[i].fd >= 0)
            close(r->streams[i].fd);
    return status;
}

/* "ebb: recorded 0.06 s, died by SIGSEGV, 74.7 kB, 101 events: /path" */
static char *recording_named(const struct run *r)
{
    char *text = xformat("%.*s", (int)r->tail_size, r->tail), *found = NULL, *path = NULL;
    for (char *at = text; (at = strstr(at, "ebb: recorded ")); at++)
        found = at;
    char *events = found ? strstr(found, " events: ") : NULL;
    if (events) {
        events += strlen(" events: ");
        path = xformat("%.*s", (int)strcspn(events, "\n"), events);
    }
    free(text);
    return path;
}

static struct error *not_recorded(const struct run *r)
{
    size_t size = r->tail_size;
    while (size && r->tail[size - 1] == '\n')
        size--;
    size_t from = size;
    while (from && r->tail[from - 1] != '\n')
        from--;
    if (r->is_stopped)
        return error_coded(ERROR_INTERRUPTED, "the recording was cancelled");
    return error_coded(ERROR_MISUSED, "the program was not recorded: %.*s", (int)(size - from),
                       r->tail + from);
}

struct error *dap_record(struct dap *s, const struct json_value *args, char **ret)
{
    struct list argv = LIST(char *);
    struct run r = {0};
    *(const char **)list_add(&argv) = "ebb";
    *(const char **)list_add(&argv) = "record";
    struct error *err = strings_of(args, "recordOptions", &argv);
    *(const char **)list_add(&argv) = "--";
    *(const char **)list_add(&argv) = json_member_text(args, "program", "");
    if (!err)
        err = strings_of(args, "args", &argv);
    if (!err)
        err = check_environment(json_member(args, "env"));
    list_add(&argv); /* NULL */
    s->title = "Recording the program";
    if (!err)
        err = run_start(&r, args, argv.items);
    if (!err) {
        run_watch(s, &r);
        *ret = recording_named(&r);
        if (!*ret)
            err = not_recorded(&r);
    }
    list_deinit(&argv);
    return err;
}
