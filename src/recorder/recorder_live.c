/* The recorder of a live session: see the header.
 *
 * In the recorder's process:
 *
 *     runs --(HOLD, or the process stands)--> stops --(it stands)--> settles --(its log is in the
 *       ^                                                                       file)--> stands
 *       +------------------------------------(GO)------------------------------------------+
 *
 * A process that waits in a call does not notice that it is held, so it is woken after a while.
 *
 * Invariants
 *   (1) A RUN is sent only to a process that has said that it stands.
 */
#include "recorder/recorder_live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "log/packets.h"

enum { WAKE_MS = 10 };

enum live_kind { LIVE_GO = 96, LIVE_HOLD, LIVE_POINTS, LIVE_LEAVE, LIVE_STANDS };

struct live_message {
    struct channel_message message;
    u32 track, unused;
    u64 size; /* of the attached plan or table */
};

struct live_stands {
    struct channel_message message;
    struct recorder_live_stop stop;
};

struct recorder_live {
    pid_t pid;
    int socket;
};

/* --- in the recorder's process ---------------------------------------------------------------- */

enum live_state { LIVE_RUNS, LIVE_STOPS, LIVE_SETTLES, LIVE_RESTS };

/* Of a process of the program. */
struct live_process {
    bool stands, asked; /* asked: it was held, and has not stood since */
};

struct live_server {
    struct recorder *r;
    int socket; /* -1: the debugger has left */
    enum live_state state;
    u32 track; /* the one that is debugged */
    struct control_stopped stopped;
    struct live_process *processes; /* by the number of their tracks */
    u32 count;
    bool detached;
};

static struct live_process *live_process_of(struct live_server *s, u32 track)
{
    if (track >= s->count) {
        u32 count = track + 16;
        struct live_process *longer = xalloc(count * sizeof *longer);
        memset(longer, 0, count * sizeof *longer);
        if (s->count)
            memcpy(longer, s->processes, s->count * sizeof *longer);
        free(s->processes);
        s->processes = longer;
        s->count = count;
    }
    return &s->processes[track];
}

static void live_tell(struct live_server *s, bool over)
{
    struct live_stands say = {.stop = {.track = s->track, .over = over, .stopped = s->stopped}};
    s->state = LIVE_RESTS;
    strncpy(say.stop.path, recorder_recording(s->r)->path, sizeof say.stop.path - 1);
    if (s->socket >= 0)
        packet_send(s->socket, &say.message, LIVE_STANDS, sizeof say, -1);
}

static void live_hold_all(struct live_server *s, bool wake)
{
    for (u32 n = 0; n < s->count; n++)
        s->processes[n].asked |= !s->processes[n].stands;
    recorder_hold(s->r, wake);
}

/* `plan` -1: without a plan. */
static void live_run_one(struct live_server *s, u32 track, int plan, u64 size)
{
    const struct plan none = {.version = CONTROL_VERSION, .nth = 1, .limit_tick = ~0ull};
    struct live_process *p = live_process_of(s, track);
    struct control_run run = {.attached = 1, .plan_size = plan < 0 ? sizeof none : (u32)size};
    int own = plan < 0 ? memfd_create("ebb-plan", MFD_CLOEXEC) : -1;
    invariant(1, p->stands);
    if (own >= 0 && pwrite(own, &none, sizeof none, 0) != sizeof none)
        run.plan_size = 0; /* the process complains and stands; it is let go by the end */
    p->stands = p->asked = false;
    recorder_command(s->r, track, &run.message, CONTROL_RUN, sizeof run, plan < 0 ? own : plan);
    if (own >= 0)
        close(own);
}

static void live_run_others(struct live_server *s, u32 but)
{
    for (u32 n = 0; n < s->count; n++)
        if (n != but && s->processes[n].stands)
            live_run_one(s, n, -1, 0);
}

static void live_let_go(struct live_server *s, const struct live_message *m, int plan)
{
    s->track = m->track;
    recorder_hold_no_more(s->r);
    if (!live_process_of(s, m->track)->stands) {
        live_tell(s, true);
        return;
    }
    s->state = LIVE_RUNS;
    live_run_one(s, m->track, plan, m->size);
    live_run_others(s, m->track);
}

static void live_detach(struct live_server *s)
{
    s->detached = true;
    recorder_hold_no_more(s->r);
    live_run_others(s, ~0u);
    close(s->socket);
    s->socket = -1;
}

static void live_abandoned(struct live_server *s)
{
    close(s->socket);
    s->socket = -1;
    recorder_kill(s->r);
}

static void live_obey(struct live_server *s, const struct live_message *m, int fd)
{
    struct control_points points = {.size = m->size};
    switch ((enum live_kind)m->message.kind) {
    case LIVE_GO:
        live_let_go(s, m, fd);
        break;
    case LIVE_HOLD:
        if (s->state == LIVE_RUNS) {
            s->state = LIVE_STOPS;
            live_hold_all(s, false);
        }
        break;
    case LIVE_POINTS:
        recorder_command(s->r, m->track, &points.message, CONTROL_POINTS, sizeof points, fd);
        break;
    case LIVE_LEAVE:
        live_detach(s);
        break;
    case LIVE_STANDS:
        break;
    }
}

static ssize_t live_receive(int socket, void *to, size_t size, int *ret_fd)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {to, size};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                       .msg_controllen = sizeof control};
    ssize_t n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    *ret_fd = -1;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
    return n;
}

static void live_heard(void *context)
{
    struct live_server *s = context;
    struct live_message m;
    int fd;
    ssize_t n = s->socket < 0 ? 0 : live_receive(s->socket, &m, sizeof m, &fd);
    if (s->socket < 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
        return;
    if (n != sizeof m)
        live_abandoned(s);
    else
        live_obey(s, &m, fd);
    if (n > 0 && fd >= 0)
        close(fd);
}

static void live_stood(void *context, u32 track, const struct control_stopped *stopped)
{
    struct live_server *s = context;
    struct live_process *p = live_process_of(s, track);
    bool asked = p->asked;
    p->stands = true;
    p->asked = false;
    if (s->detached || (s->state == LIVE_RUNS && asked)) { /* too late: all were let go since */
        live_run_one(s, track, -1, 0);
    } else if (track == s->track && s->state != LIVE_RESTS) {
        s->stopped = *stopped;
        s->state = LIVE_SETTLES;
        live_hold_all(s, false);
        recorder_settle(s->r, track);
    } else if (s->state == LIVE_RUNS) { /* Ctrl-C came to this one only */
        s->state = LIVE_STOPS;
        live_hold_all(s, false);
    }
}

static void live_settled(void *context, u32 track)
{
    struct live_server *s = context;
    if (s->state == LIVE_SETTLES && track == s->track)
        live_tell(s, false);
}

static void live_gone(void *context, u32 track)
{
    struct live_server *s = context;
    live_process_of(s, track)->stands = false;
    if (track == s->track && s->state != LIVE_RESTS)
        live_tell(s, true);
}

static _Noreturn void live_serve(const struct recorder_job *job, const struct recorder_host *host,
                                 int socket)
{
    struct live_server s = {.socket = socket};
    struct recorder_front front = {.pid = getppid(), .group = getpgrp()};
    struct recorder_holder holder = {socket,   live_heard, live_stood, live_settled,
                                     live_gone, &s};
    struct recorder_job own = *job;
    struct recorder_outcome outcome;
    own.front = &front;
    own.holder = &holder;
    struct error *err = recorder_start(&own, host, &s.r);
    if (err)
        _exit(error_complain(err, CHANNEL_EXIT_OURS));
    while (!recorder_is_over(s.r)) {
        recorder_turn(s.r, s.state == LIVE_STOPS ? WAKE_MS : -1);
        holder.socket = s.socket;
        if (s.state == LIVE_STOPS)
            recorder_hold(s.r, true);
    }
    recorder_finish(s.r, &outcome);
    error_destroy(outcome.err);
    recorder_destroy(s.r);
    _exit(0);
}

/* --- in the debugger's ------------------------------------------------------------------------ */

struct error *recorder_live_start(const struct recorder_job *job, const struct recorder_host *host,
                                  struct recorder_live **ret)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return error_errno(errno, "cannot make a socket");
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        live_serve(job, host, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return error_errno(error, "cannot start a process");
    }
    *ret = xalloc(sizeof **ret);
    **ret = (struct recorder_live){pid, ends[0]};
    return NULL;
}

static struct error *live_lost(void)
{
    return error_coded(ERROR_LOST, "the process that records has ended");
}

static struct error *live_send(struct recorder_live *l, u32 kind, struct live_message m, int fd)
{
    return packet_send(l->socket, &m.message, kind, sizeof m, fd) ? NULL : live_lost();
}

struct error *recorder_live_wait(struct recorder_live *l, int milliseconds, int wake,
                                 struct recorder_live_stop *ret, bool *ret_stands)
{
    struct pollfd polls[] = {{.fd = l->socket, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    struct live_stands said;
    int fd;
    *ret_stands = false;
    if (poll(polls, 2, milliseconds) <= 0 || !polls[0].revents)
        return NULL;
    if (live_receive(l->socket, &said, sizeof said, &fd) != sizeof said)
        return live_lost();
    *ret = said.stop;
    *ret_stands = true;
    return NULL;
}

struct error *recorder_live_go(struct recorder_live *l, u32 track, const void *plan, size_t size)
{
    struct live_message m = {.track = track, .size = size};
    int fd = memfd_create("ebb-plan", MFD_CLOEXEC);
    struct error *err = NULL;
    if (fd < 0 || pwrite(fd, plan, size, 0) != (ssize_t)size)
        err = error_errno(errno, "cannot make a file in memory");
    if (!err)
        err = live_send(l, LIVE_GO, m, fd);
    if (fd >= 0)
        close(fd);
    return err;
}

struct error *recorder_live_points(struct recorder_live *l, u32 track, int fd, u64 size)
{
    return live_send(l, LIVE_POINTS, (struct live_message){.track = track, .size = size}, fd);
}

void recorder_live_hold(struct recorder_live *l)
{
    error_destroy(live_send(l, LIVE_HOLD, (struct live_message){0}, -1));
}

void recorder_live_end(struct recorder_live *l, enum recorder_live_end how)
{
    if (!l)
        return;
    if (how == LIVE_DETACH)
        error_destroy(live_send(l, LIVE_LEAVE, (struct live_message){0}, -1));
    close(l->socket);
    while (how == LIVE_KILL && waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(l);
}
