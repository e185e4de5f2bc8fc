/* One engine process: see the header, and log/control.h for the messages.
 *
 *     started  --hello, welcome-->  stands  --RUN-->  runs  --STOPPED-->  stands
 *                                     |  FORK, READ, ... : answered at once
 *                                     +--hang-up, SIGKILL-->  dying  --waitpid-->  gone
 *
 * A process with much memory takes a while to end. ebb does not wait for that. It reaps the process
 * when another one ends, or at the end of the session.
 *
 * While an engine runs or answers, it may itself ask ebb for files of the recording, and for pages
 * of the snapshot that it began as.
 */
#include "session/replayer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "log/engine_locate.h"
#include "log/engine_start.h"
#include "log/lineage.h"
#include "log/packets.h"
#include "log/recording_file.h"
#include "log/replay_start.h"
#include "log/snapshot_state.h"

enum {
    ANSWER_SECONDS = 120, /* the longest wait for an answer; machines can be slow */
    LOOK_MILLISECONDS = 100, /* how often ebb looks at a program that runs */
    PAGES_ASKED_MOST = 1 << 16,
};

/* A message of either kind; `data` has the bytes after the struct. */
union replayer_answer {
    struct channel_message message;
    struct channel_hello hello;
    struct channel_fetch fetch;
    struct channel_pages pages;
    struct channel_verdict verdict;
    struct control_stopped stopped;
    struct control_forked forked;
    struct control_data data;
    u8 bytes[CONTROL_MESSAGE_MOST];
};

/* --- the family ----------------------------------------------------------------------------- */

struct error *replayer_family_init(struct replayer_family *f, const struct recording *rec,
                                   u32 track,
                                  u32 recorded_pid)
{
    *f = (struct replayer_family){.rec = rec, .track = track, .errors = -1, .wake = -1,
                                  .recorded_pid = recorded_pid};
    f->errors = memfd_create("ebb-engine-errors", MFD_CLOEXEC);
    f->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->errors < 0 || f->wake < 0 || fcntl(f->errors, F_SETFL, O_APPEND) < 0)
        return error_errno(errno, "making a file in memory");
    return track_events_create(rec, track, &f->events);
}

static void replayer_reap(struct replayer_family *f, int options)
{
    size_t left = 0;
    for (size_t i = 0; i < f->dying_count; i++) {
        pid_t got;
        do
            got = waitpid(f->dying[i], NULL, options | __WALL);
        while (got < 0 && errno == EINTR);
        if (got == 0)
            f->dying[left++] = f->dying[i];
    }
    f->dying_count = left;
}

void replayer_family_deinit(struct replayer_family *f)
{
    replayer_reap(f, 0);
    free(f->dying);
    for (size_t n = 0; n < f->restored_count; n++)
        snapshot_reader_close(f->restored[n]);
    free(f->restored);
    track_events_destroy(f->events);
    point_tables_deinit(&f->tables);
    if (f->errors >= 0)
        close(f->errors);
    if (f->wake >= 0)
        close(f->wake);
}

static void expect_end(struct replayer_family *f, pid_t pid)
{
    replayer_reap(f, WNOHANG);
    if (f->dying_count == f->dying_room) {
        f->dying_room = f->dying_room ? f->dying_room * 2 : 16;
        pid_t *longer = xalloc(f->dying_room * sizeof *longer);
        for (size_t i = 0; i < f->dying_count; i++)
            longer[i] = f->dying[i];
        free(f->dying);
        f->dying = longer;
    }
    f->dying[f->dying_count++] = pid;
}

void replayer_family_interrupt(struct replayer_family *f)
{
    int error = errno;
    u64 one = 1;
    f->interrupted = 1;
    if (write(f->wake, &one, sizeof one) < 0) {
        /* the counter of the eventfd is full, so a request to stop is already pending */
    }
    errno = error;
}

void replayer_family_calm(struct replayer_family *f)
{
    u64 count;
    if (read(f->wake, &count, sizeof count) < 0) {
        /* there was no request */
    }
    f->interrupted = 0;
}

/* --- what went wrong ----------------------------------------------------------------------- */

/* The last line that an engine printed, or an empty string. */
static void last_words(const struct replayer_family *f, char *to, size_t room)
{
    struct stat st;
    off_t from = fstat(f->errors, &st) == 0 && (size_t)st.st_size >= room
                     ? st.st_size - (off_t)room + 1 : 0;
    ssize_t n = pread(f->errors, to, room - 1, from);
    to[n > 0 ? n : 0] = '\0';
    while (n > 0 && to[n - 1] == '\n')
        to[--n] = '\0';
    char *line = strrchr(to, '\n');
    if (line)
        memmove(to, line + 1, strlen(line));
}

/* Reaps the process. Returns false if that was done before, or if it is not a child of ebb. */
static bool end_now(struct replayer *r, int *ret_status)
{
    if (r->pid <= 0)
        return false;
    kill(r->pid, SIGKILL); /* it has closed its connection but still runs */
    pid_t got;
    do
        got = waitpid(r->pid, ret_status, __WALL);
    while (got < 0 && errno == EINTR);
    bool ours = got == r->pid;
    r->pid = 0;
    return ours;
}

static struct error *explain_death(struct replayer *r)
{
    int status = 0;
    char words[1024]; /* long enough for the message of a failed assertion */
    bool known = end_now(r, &status);
    last_words(r->family, words, sizeof words);
    if (known && WIFSIGNALED(status))
        return error_coded(ERROR_LOST, "the replay of track %u died by signal %d (%s)",
                           r->family->track, WTERMSIG(status), strsignal(WTERMSIG(status)));
    return error_coded(ERROR_LOST, "the replay of track %u ended by itself%s%s", r->family->track,
                       *words ? ": " : "", words);
}

static struct error *lose(struct replayer *r, struct error *err)
{
    r->lost = true;
    return err;
}

static struct error *explain_divergence(u32 track, u64 tick, u64 pc, u32 thread, u64 event,
                                        const char *recorded, const char *happened)
{
    return error_coded(ERROR_DIVERGED,
                       "track %u: the replay differs at %llu:0x%llx, thread %u, after %llu events; "
                       "recorded: %s; happened: %s",
                       track, (unsigned long long)tick, (unsigned long long)pc, thread,
                       (unsigned long long)event, recorded, happened);
}

static struct error *explain_verdict(struct replayer *r, struct channel_verdict *v)
{
    v->recorded[CHANNEL_VERDICT_TEXT - 1] = v->happened[CHANNEL_VERDICT_TEXT - 1] = '\0';
    if (v->verdict == CHANNEL_DIVERGED)
        return lose(r, explain_divergence(r->family->track, v->tick, v->pc, v->thread, v->event,
                                          v->recorded, v->happened));
    return lose(r, error_coded(ERROR_UNREPLAYABLE, "track %u cannot be replayed: %s",
                               r->family->track, v->happened));
}

static struct error *explain_stop(struct replayer *r)
{
    struct control_stopped *s = &r->stopped;
    s->recorded[sizeof s->recorded - 1] = s->happened[sizeof s->happened - 1] = '\0';
    if (s->reason == STOPPED_DIVERGED)
        return lose(r, explain_divergence(r->family->track, s->tick, s->pc, s->thread, s->event,
                                          s->recorded, s->happened));
    if (s->reason == STOPPED_UNABLE)
        return lose(r, error_coded(ERROR_UNREPLAYABLE, "track %u cannot be replayed: %s",
                                   r->family->track, s->happened));
    return NULL;
}

/* --- talking ------------------------------------------------------------------------------- */

/* Sends a message in two parts. `fd` is attached unless it is -1. */
static struct error *say(struct replayer *r, struct channel_message *message, u32 kind, size_t size,
                         const void *more, size_t more_size, int fd)
{
    bool sent = packet_send_with(r->socket, message, kind, (u32)size, more, more_size, fd);
    return sent ? NULL : lose(r, explain_death(r));
}

/* Waits for one packet. *ret_size is 0 if the other side is gone. */
static void receive(int socket, union replayer_answer *ret, size_t *ret_size, int *ret_fd)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {ret, sizeof *ret};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                       .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *ret_fd = -1;
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
    *ret_size = n > 0 && !(m.msg_flags & MSG_TRUNC) ? (size_t)n : 0;
}

static bool wants_stop(const struct replayer *r)
{
    return r->family->interrupted && !r->family->heedless;
}

struct wait {
    bool runs; /* no time limit; an interruption is sent to the engine once, which then stops */
    bool told;
    int looks; /* the process ended without an answer */
};

/* Called about every 100 ms while a program runs. */
static void replayer_look_up(struct replayer *r, struct wait *w)
{
    w->looks++;
    if (r->family->waiting)
        r->family->waiting(r->family->waiting_context, r, w->looks * LOOK_MILLISECONDS / 1e3);
}

static struct error *replayer_answer(struct replayer *r, const union replayer_answer *asked,
                                     size_t size);

/* The process that runs beside has sent something: a request is answered; how its run ended waits
 * for replayer_run_end(), and so does an error. */
static void tend_beside(struct replayer_family *f)
{
    struct replayer *r = f->beside;
    assert(r);
    union replayer_answer asked;
    size_t size;
    int fd;
    ssize_t n = recv(r->socket, &asked.message, sizeof asked.message, MSG_PEEK | MSG_DONTWAIT);
    bool asks = n == (ssize_t)sizeof asked.message && (asked.message.kind == CHANNEL_FETCH ||
                                                       asked.message.kind == CHANNEL_PAGES);
    if (!asks) {
        f->beside = n < 0 && (errno == EAGAIN || errno == EINTR) ? r : NULL;
        return;
    }
    receive(r->socket, &asked, &size, &fd);
    if (fd >= 0)
        close(fd);
    error_destroy(replayer_answer(r, &asked, size)); /* the engine learns of it, too */
}

/* Waits until a message has arrived. */
static struct error *replayer_wait_for(struct replayer *r, struct wait *w)
{
    for (;;) {
        if (w->runs && !w->told && wants_stop(r)) {
            struct channel_message stop;
            struct error *err = say(r, &stop, CONTROL_STOP, sizeof stop, NULL, 0, -1);
            if (err)
                return err;
            w->told = true;
        }
        bool patient = w->runs && !w->told;
        const struct replayer *beside = r->family->beside;
        struct pollfd polls[3] = {
            {.fd = r->socket, .events = POLLIN},
            {.fd = patient && !r->family->heedless ? r->family->wake : -1, .events = POLLIN},
            {.fd = beside && beside != r ? beside->socket : -1, .events = POLLIN},
        };
        int ready = poll(polls, 3, patient ? LOOK_MILLISECONDS : ANSWER_SECONDS * 1000);
        if (ready > 0 && polls[0].revents)
            return NULL;
        if (ready > 0 && polls[2].revents)
            tend_beside(r->family);
        if (ready == 0 && patient)
            replayer_look_up(r, w);
        else if (ready == 0)
            return lose(r, error_coded(ERROR_LOST, "the replay of track %u does not answer",
                                       r->family->track));
        if (ready < 0 && errno != EINTR)
            return lose(r, error_errno(errno, "waiting for an engine"));
    }
}

static struct error *replayer_answer_fetch(struct replayer *r, const struct channel_fetch *fetch)
{
    struct channel_kept kept = {.copy = fetch->copy};
    int fd = -1;
    struct error *err = recording_file_fetch(r->family->rec, fetch, &fd);
    kept.error = err ? EBADMSG : 0;
    packet_send(r->socket, &kept.message, CHANNEL_KEPT, sizeof kept, fd);
    if (fd >= 0)
        close(fd);
    return err ? lose(r, err) : NULL;
}

/* Returns pages of a snapshot, in a memory file. */
static struct error *replayer_get_pages(const struct replayer_family *f,
                                        const struct channel_pages *ask, int *ret)
{
    if (ask->snapshot >= f->restored_count || !ask->count || ask->count > PAGES_ASKED_MOST)
        return error_coded(ERROR_LOST, "an engine asked for pages that do not exist");
    size_t size = ask->count * SNAPSHOT_PAGE;
    int fd = memfd_create("ebb-pages", MFD_CLOEXEC);
    u8 *room = xalloc(size);
    struct error *err = snapshot_reader_pages(f->restored[ask->snapshot], ask->first, ask->count,
                                              room);
    if (!err && (fd < 0 || write(fd, room, size) != (ssize_t)size))
        err = error_errno(errno, "making room for a snapshot");
    free(room);
    if (err && fd >= 0)
        close(fd);
    *ret = err ? -1 : fd;
    return err;
}

static struct error *replayer_answer_pages(struct replayer *r, const struct channel_pages *ask)
{
    struct channel_kept kept = {0};
    int fd = -1;
    struct error *err = replayer_get_pages(r->family, ask, &fd);
    kept.error = err ? EIO : 0;
    packet_send(r->socket, &kept.message, CHANNEL_KEPT, sizeof kept, fd);
    if (fd >= 0)
        close(fd);
    return err ? lose(r, err) : NULL;
}

/* Handles a request of the engine that comes before its answer. */
static struct error *replayer_answer(struct replayer *r, const union replayer_answer *asked,
                                     size_t size)
{
    if (asked->message.kind == CHANNEL_FETCH && size == sizeof asked->fetch)
        return replayer_answer_fetch(r, &asked->fetch);
    if (asked->message.kind == CHANNEL_PAGES && size == sizeof asked->pages)
        return replayer_answer_pages(r, &asked->pages);
    return lose(r, error_coded(ERROR_LOST, "an engine sent an answer that was not asked for"));
}

/* Waits for an answer of the wanted kind and skips others. */
static struct error *hear(struct replayer *r, u32 kind, bool runs, union replayer_answer *ret,
                          size_t *ret_size,
                          int *ret_fd)
{
    struct wait w = {.runs = runs};
    for (;;) {
        struct error *err = replayer_wait_for(r, &w);
        if (err)
            return err;
        receive(r->socket, ret, ret_size, ret_fd);
        if (*ret_size < sizeof ret->message)
            return lose(r, explain_death(r));
        if (ret->message.kind == kind && ret->message.size <= *ret_size)
            return NULL;
        if (*ret_fd >= 0)
            close(*ret_fd);
        if (ret->message.kind == CHANNEL_VERDICT && *ret_size == sizeof ret->verdict)
            return explain_verdict(r, &ret->verdict);
        if (ret->message.kind == CONTROL_DATA && *ret_size >= sizeof ret->data && ret->data.error)
            return error_errno((int)ret->data.error, "the engine refuses"); /* and stands */
        err = replayer_answer(r, ret, *ret_size);
        if (err)
            return err;
    }
}

static u32 tid_recorded(const struct replayer_family *f, u32 tid)
{
    return tid == f->first_pid ? f->recorded_pid : tid;
}

static struct error *replayer_hear_stopped(struct replayer *r, int *ret_fd)
{
    union replayer_answer answer;
    size_t size;
    int fd;
    struct error *err = hear(r, CONTROL_STOPPED, true, &answer, &size, &fd);
    if (err)
        return err;
    if (size != sizeof answer.stopped) {
        if (fd >= 0)
            close(fd);
        return lose(r, error_coded(ERROR_LOST, "an engine belongs to another build of ebb"));
    }
    r->stopped = answer.stopped;
    r->stopped.tid = tid_recorded(r->family, r->stopped.tid);
    r->pages += answer.stopped.pages_copied;
    err = explain_stop(r);
    if (ret_fd && !err)
        *ret_fd = fd;
    else if (fd >= 0)
        close(fd);
    return err;
}

static struct error *hear_data(struct replayer *r, union replayer_answer *ret, int *ret_fd)
{
    size_t size;
    struct error *err = hear(r, CONTROL_DATA, false, ret, &size, ret_fd);
    if (err)
        return err;
    bool whole = size >= sizeof ret->data &&
                 (ret->data.attached ? *ret_fd >= 0 : size - sizeof ret->data >= ret->data.size);
    if (whole && !ret->data.error)
        return NULL;
    if (*ret_fd >= 0)
        close(*ret_fd);
    return whole ? error_errno((int)ret->data.error, "the replayed program")
                 : lose(r, error_coded(ERROR_LOST, "an engine belongs to another build of ebb"));
}

/* --- starting and ending ------------------------------------------------------------------- */

static struct replayer *replayer_create(struct replayer_family *f, pid_t pid, int socket)
{
    struct replayer *r = xalloc(sizeof *r);
    *r = (struct replayer){.family = f, .pid = pid, .socket = socket};
    return r;
}

void replayer_destroy(struct replayer *r)
{
    if (!r)
        return;
    free(r->trace);
    if (r->family->beside == r)
        r->family->beside = NULL;
    if (r->socket >= 0)
        close(r->socket);
    if (r->pid > 0) {
        kill(r->pid, SIGKILL);
        expect_end(r->family, r->pid);
    }
    free(r);
}

void replayer_destroyp(struct replayer **r)
{
    replayer_destroy(*r);
}

static struct error *welcome(struct replayer *r)
{
    u64 size;
    int file = track_events_file(r->family->events, &size);
    struct channel_welcome welcome = {.version = CHANNEL_VERSION, .track = r->family->track,
                                      .flags = CHANNEL_CONTROLLED, .ring_size = size};
    struct error *err = say(r, &welcome.message, CHANNEL_WELCOME, sizeof welcome, NULL, 0, file);
    return err ? err : replayer_hear_stopped(r, NULL);
}

/* Before the call r->socket is the socket on which all engines say hello; afterwards it is the
 * engine's own connection. */
static struct error *meet(struct replayer *r)
{
    union replayer_answer answer;
    size_t size;
    int fd;
    struct error *err = hear(r, CHANNEL_HELLO, false, &answer, &size, &fd);
    if (err)
        return err;
    if (size != sizeof answer.hello || answer.hello.version != CHANNEL_VERSION || fd < 0)
        return error_coded(ERROR_LOST, "an engine belongs to another build of ebb");
    close(r->socket);
    r->socket = fd;
    return welcome(r);
}

static struct error *read_start(const struct replayer_family *f, struct replay_start *ret)
{
    struct lineage *l;
    struct reader *first;
    struct error *err = lineage_open(f->rec, f->track, true, &l);
    if (err)
        return err;
    err = recording_open_track(f->rec, lineage_program(l), &first);
    lineage_close(l);
    if (err)
        return err;
    err = replay_start_init(ret, first);
    reader_close(first);
    if (!err && !ret->path)
        err = error_coded(ERROR_LOST, "the process was killed before it began");
    return err;
}

struct error *replayer_start(struct replayer_family *f, struct replayer **ret)
{
    struct replay_start from = {0};
    struct engine_start start = {0};
    pid_t pid;
    int socket;
    struct error *err = read_start(f, &from);
    if (!err)
        err = engine_locate(&start.engine);
    if (!err) {
        start.settings = from.settings;
        start.program = from.path;
        start.argc = from.argc;
        start.argv = from.argv;
        err = engine_spawn_apart(&start, f->errors, &pid, &socket);
    }
    if (!err) {
        struct replayer *r = replayer_create(f, pid, socket);
        f->first_pid = (u32)pid;
        err = meet(r);
        if (err)
            replayer_destroy(r);
        else
            *ret = r;
    }
    replay_start_deinit(&from);
    free(start.engine);
    return err;
}

struct error *replayer_fork(struct replayer *r, struct replayer **ret)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return error_errno(errno, "cannot make a socket");
    struct channel_message ask;
    union replayer_answer answer;
    size_t size;
    int fd;
    struct error *err = say(r, &ask, CONTROL_FORK, sizeof ask, NULL, 0, ends[1]);
    close(ends[1]);
    if (!err)
        err = hear(r, CONTROL_FORKED, false, &answer, &size, &fd);
    if (!err && (size != sizeof answer.forked || answer.forked.error))
        err = error_errno((int)answer.forked.error, "cannot copy a process");
    else if (!err && (pid_t)answer.forked.pid <= 1)
        err = lose(r, error_coded(ERROR_LOST, "an engine belongs to another build of ebb"));
    if (err) {
        close(ends[0]);
        return err;
    }
    *ret = replayer_create(r->family, (pid_t)answer.forked.pid, ends[0]);
    (*ret)->stopped = r->stopped;
    (*ret)->points = r->points;
    r->family->copies_made++;
    return NULL;
}

/* --- running ------------------------------------------------------------------------------- */

static int replayer_file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("ebb-plan", MFD_CLOEXEC);
    if (fd >= 0 && pwrite(fd, bytes, size, 0) != (ssize_t)size) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static struct error *take_file(int fd, u64 size, void *to)
{
    for (u64 at = 0; at < size;) {
        ssize_t n = pread(fd, (u8 *)to + at, size - at, (off_t)at);
        if (n <= 0)
            return error_coded(ERROR_LOST, "an engine's answer is shorter than it says");
        at += (u64)n;
    }
    return NULL;
}

static void forget_trace(struct replayer *r)
{
    free(r->trace);
    r->trace = NULL;
    r->trace_count = 0;
    free(r->tally);
    r->tally = NULL;
    r->tally_count = 0;
}

/* Reads the hits of a trace. The file holds as many as were kept. */
static struct error *take_trace(struct replayer *r, int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0 || (u64)st.st_size / sizeof *r->trace > r->stopped.count)
        return lose(r, error_coded(ERROR_LOST, "an engine gave no trace"));
    r->trace_count = (size_t)st.st_size / sizeof *r->trace;
    r->trace = xalloc((size_t)st.st_size + 1);
    return take_file(fd, r->trace_count * sizeof *r->trace, r->trace);
}

static struct error *take_tally(struct replayer *r, int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return lose(r, error_coded(ERROR_LOST, "an engine gave no counts"));
    r->tally_count = (size_t)st.st_size / sizeof *r->tally;
    r->tally = xalloc((size_t)st.st_size + 1);
    return take_file(fd, r->tally_count * sizeof *r->tally, r->tally);
}

static struct error *give_points(struct replayer *r, u64 id)
{
    struct control_points give = {0};
    union replayer_answer answer;
    int fd;
    struct error *err = point_tables_file(&r->family->tables, id, &fd, &give.size);
    if (!err)
        err = say(r, &give.message, CONTROL_POINTS, sizeof give, NULL, 0, fd);
    if (!err)
        err = hear_data(r, &answer, &fd);
    if (err)
        return err;
    if (fd >= 0)
        close(fd);
    r->points = id;
    return NULL;
}

static struct error *replayer_run_begin(struct replayer *r, const struct plan *plan, size_t size)
{
    struct control_run run = {.plan_size = (u32)size};
    struct error *err =
        plan->points && plan->points != r->points ? give_points(r, plan->points) : NULL;
    int fd = -1;
    if (err)
        return err;
    if (size > CONTROL_DATA_MOST) {
        run.attached = 1;
        fd = replayer_file_of(plan, size);
        if (fd < 0)
            return error_errno(errno, "cannot make a file in memory");
    }
    err = say(r, &run.message, CONTROL_RUN, sizeof run, plan, fd < 0 ? size : 0, fd);
    if (fd >= 0)
        close(fd);
    forget_trace(r);
    return err;
}

struct error *replayer_run_end(struct replayer *r, u32 mode)
{
    u64 from = r->stopped.tick;
    int fd = -1;
    if (r->family->beside == r)
        r->family->beside = NULL;
    struct error *err = replayer_hear_stopped(r, &fd);
    if (!err)
        r->family->ticks_run += r->stopped.tick - from;
    if (!err && mode == PLAN_TRACE)
        err = take_trace(r, fd);
    if (!err && mode == PLAN_TALLY)
        err = take_tally(r, fd);
    if (fd >= 0)
        close(fd);
    return err;
}

struct error *replayer_run(struct replayer *r, const struct plan *plan, size_t size)
{
    struct error *err = replayer_run_begin(r, plan, size);
    return err ? err : replayer_run_end(r, plan->mode);
}

struct error *replayer_run_beside(struct replayer *r, const struct plan *plan, size_t size)
{
    assert(!r->family->beside);
    struct error *err = replayer_run_begin(r, plan, size);
    if (!err)
        r->family->beside = r;
    return err;
}

struct error *replayer_run_to(struct replayer *r, struct moment limit)
{
    struct plan plan = {.version = CONTROL_VERSION, .mode = PLAN_STOP, .nth = 1,
                        .limit_tick = limit.tick, .limit_pc = limit.pc};
    return replayer_run(r, &plan, sizeof plan);
}

struct error *replayer_states(struct replayer *r, struct moment limit, u64 most, int *ret_fd)
{
    struct control_states ask = {.limit_tick = limit.tick, .limit_pc = limit.pc, .most = most};
    struct error *err = say(r, &ask.message, CONTROL_STATES, sizeof ask, NULL, 0, -1);
    *ret_fd = -1;
    return err ? err : replayer_hear_stopped(r, ret_fd);
}

/* --- snapshots ---------------------------------------------------------------------------- */

static struct error *replayer_ask_snapshot(struct replayer *r, u64 most,
                                           struct snapshot_raw *raw)
{
    struct control_keep ask = {.most_pages = most / SNAPSHOT_PAGE};
    struct control_snapshot extent;
    union replayer_answer answer;
    int fd = -1;
    struct error *err = say(r, &ask.message, CONTROL_SNAPSHOT, sizeof ask, NULL, 0, raw->fd);
    if (!err)
        err = hear_data(r, &answer, &fd);
    if (err)
        return err;
    if (fd >= 0)
        close(fd);
    if (answer.data.size != sizeof extent)
        return lose(r, error_coded(ERROR_LOST, "an engine belongs to another build of ebb"));
    memcpy(&extent, answer.bytes + sizeof answer.data, sizeof extent);
    raw->state_at = extent.state_at;
    raw->state_size = extent.state_size;
    return NULL;
}

struct error *replayer_snapshot(struct replayer *r, u64 most, struct snapshot_raw *ret)
{
    struct snapshot_raw raw;
    struct error *err = snapshot_temporary(~0ull, &raw.fd);
    if (err)
        return err;
    err = replayer_ask_snapshot(r, most, &raw);
    if (err)
        close(raw.fd);
    else
        *ret = raw;
    return err;
}

static u32 keep_reader(struct replayer_family *f, struct snapshot_reader *reader)
{
    struct snapshot_reader **longer = xalloc((f->restored_count + 1) * sizeof(*longer));
    if (f->restored_count)
        memcpy(longer, f->restored, f->restored_count * sizeof(*longer));
    free(f->restored);
    f->restored = longer;
    f->restored[f->restored_count] = reader;
    return (u32)f->restored_count++;
}

struct error *replayer_restore(struct replayer *r, struct snapshot_reader *reader, u64 offset)
{
    struct control_restore ask = {.event = offset, .asks = 1,
                                  .number = keep_reader(r->family, reader),
                                  .pages = snapshot_reader_count(reader)};
    struct snapshot_raw state;
    struct error *err = snapshot_reader_state(reader, &state);
    if (err)
        return err;
    ask.snapshot = (struct control_snapshot){state.state_at, state.state_size};
    err = say(r, &ask.message, CONTROL_RESTORE, sizeof ask, NULL, 0, state.fd);
    close(state.fd);
    return err ? err : replayer_hear_stopped(r, NULL);
}

struct error *replayer_compare(struct replayer *r, const struct snapshot_raw *raw, char **ret)
{
    struct control_restore ask = {.snapshot = {raw->state_at, raw->state_size}};
    union replayer_answer answer;
    int fd = -1;
    *ret = NULL;
    struct error *err = say(r, &ask.message, CONTROL_COMPARE, sizeof ask, NULL, 0, raw->fd);
    if (!err)
        err = hear_data(r, &answer, &fd);
    if (fd >= 0)
        close(fd);
    if (err && !r->lost) { /* it cannot be told */
        error_destroy(err);
        return NULL;
    }
    if (!err && answer.data.size)
        *ret = xformat("%.*s", (int)answer.data.size, answer.bytes + sizeof answer.data);
    return err;
}

/* --- questions ----------------------------------------------------------------------------- */

static struct error *replayer_read_some(struct replayer *r, u64 address, void *to, size_t size,
                                        size_t *ret)
{
    struct control_read ask = {.address = address, .size = size};
    union replayer_answer answer;
    int fd;
    struct error *err = say(r, &ask.message, CONTROL_READ, sizeof ask, NULL, 0, -1);
    if (!err)
        err = hear_data(r, &answer, &fd);
    if (err)
        return err;
    if (fd >= 0)
        close(fd);
    *ret = answer.data.size < size ? (size_t)answer.data.size : size;
    memcpy(to, answer.bytes + sizeof answer.data, *ret);
    return NULL;
}

struct error *replayer_read(struct replayer *r, u64 address, void *to, size_t size, size_t *ret)
{
    size_t done = 0, got = 0;
    do {
        size_t part = size - done < CONTROL_DATA_MOST ? size - done : CONTROL_DATA_MOST;
        struct error *err = replayer_read_some(r, address + done, (u8 *)to + done, part, &got);
        if (err)
            return err;
        done += got;
        if (got < part)
            break;
    } while (done < size);
    *ret = done;
    return NULL;
}

struct error *replayer_write(struct replayer *r, u64 address, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t part = size - done < CONTROL_DATA_MOST / 2 ? size - done : CONTROL_DATA_MOST / 2;
        struct control_read ask = {.address = address + done, .size = part};
        union replayer_answer answer;
        int fd;
        struct error *err = say(r, &ask.message, CONTROL_WRITE, sizeof ask, (const u8 *)from + done,
                                part, -1);
        if (!err)
            err = hear_data(r, &answer, &fd);
        if (err)
            return err;
        if (fd >= 0)
            close(fd);
        done += part;
    }
    return NULL;
}

struct error *replayer_ask(struct replayer *r, u32 kind, u32 thread, void **ret, size_t *ret_size)
{
    struct control_ask ask = {.thread = thread};
    union replayer_answer answer;
    int fd;
    struct error *err = say(r, &ask.message, kind, sizeof ask, NULL, 0, -1);
    if (!err)
        err = hear_data(r, &answer, &fd);
    if (err)
        return err;
    void *bytes = xalloc(answer.data.size + 1);
    if (answer.data.attached)
        err = take_file(fd, answer.data.size, bytes);
    else
        memcpy(bytes, answer.bytes + sizeof answer.data, answer.data.size);
    if (fd >= 0)
        close(fd);
    if (err) {
        free(bytes);
        return err;
    }
    struct control_thread *threads = bytes;
    for (size_t i = 0; kind == CONTROL_THREADS && i < answer.data.size / sizeof *threads; i++)
        threads[i].tid = tid_recorded(r->family, threads[i].tid);
    *ret = bytes;
    *ret_size = answer.data.size;
    return NULL;
}

struct error *replayer_set_registers(struct replayer *r, u32 thread,
                                     const struct control_registers *to,
                                     const u8 *vector)
{
    struct {
        struct control_ask ask;
        struct control_registers registers;
    } set = {.ask.thread = thread, .registers = *to};
    union replayer_answer answer;
    int fd;
    if (!vector)
        set.registers.vector_size = 0;
    struct error *err = say(r, &set.ask.message, CONTROL_SET_REGISTERS, sizeof set, vector,
                            set.registers.vector_size, -1);
    if (!err)
        err = hear_data(r, &answer, &fd);
    if (!err && fd >= 0)
        close(fd);
    return err;
}
