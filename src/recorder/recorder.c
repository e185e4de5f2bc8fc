/* The main thread of a recorder: starts the program, answers hellos, keeps copies of files, notices
 * which processes are gone, and completes the recording. recorder.h has the overview.
 *
 * A failure of the recording never harms the program: it is reported once, the program continues,
 * and what was written stays usable.
 *
 *     started --(hello)--> recording --(child reaped)--> waiting --(every image hung up)--> over
 *                                                         --(a signal: they are left)---> over
 */
#include "recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/cleanup.h"
#include "base/wall_clock.h"
#include "base/xalloc.h"
#include "log/channel.h"
#include "log/format.h"
#include "log/packets.h"
#include "log/ring.h"
#include "recorder/recorder_files_internal.h"
#include "recorder/recorder_front_internal.h"
#include "recorder/recorder_machine_internal.h"
#include "recorder/recorder_mapped_internal.h"
#include "recorder/recorder_snapshots_internal.h"
#include "recorder/recorder_track_internal.h"

enum {
    RING_SIZE = 16 << 20,
    RINGS_MOST = 64 << 20, /* total size of all rings, as far as the minimum size of each allows */
    FIXED_POLLS = 3,       /* signals, the shared socket, threads that stopped */
};

#define MILLISECOND 1000000ul
/* wait after the end of the first process: most others end with it */
#define TELL_WAITS_NS (500 * MILLISECOND)
#define KILL_NS (2000 * MILLISECOND)      /* from SIGTERM to SIGKILL */

struct recorder {
    struct recording *rec;
    const struct recorder_job *job;
    const struct recorder_host *host;
    struct recorder_front front; /* its group is 0 if there is no front */
    pid_t child;
    int shared, signals, stopped; /* the shared socket is -1 after it was closed */
    bool reaped;
    u64 reaped_at;
    int wait_status;
    bool told_waits;   /* the host was told which processes are waited for */
    int ended_by;      /* the signal that ended the recording while processes lived on */
    u64 kill_at;       /* job->kill: when to send SIGKILL; 0: not requested yet */
    u32 left;          /* number of tracks whose processes continue */
    struct recorder_track **tracks; /* `count` live tracks */
    bool *hung_up;
    size_t count, room;
    u32 tracks_made;
    struct recorder_figures past; /* totals of ended tracks */
    char *limit;                /* the first fact that a track cannot replay */
    /* sentences on what differs from a native run, each once */
    char *remarks[RECORDER_REMARKS_MOST + 1];
    size_t remark_count;
    struct error *failure;      /* the first failure; the host was told */
    bool has_not_copied; /* a mapped file could not be copied for want of room; the host was told */
    struct recorder_files files;
    struct recorder_mapped *mapped;
    struct recorder_snapshots *snapshots;
};

/* Tracks */

static u64 rings_alive(const struct recorder *r)
{
    u64 bytes = 0;
    for (size_t i = 0; i < r->count; i++)
        bytes += recorder_track_figures(r->tracks[i]).ring;
    return bytes;
}

/* Rings are large at first, smaller when many processes live. */
static u64 choose_ring_size(const struct recorder *r)
{
    u64 used = rings_alive(r), size = RING_SIZE;
    while (size > RING_SIZE_LEAST && used + ring_bytes(size) > RINGS_MOST)
        size /= 2;
    return size;
}

/* The first failure is reported, and kept for the meta file; later ones follow from it. */
static void recorder_fail(struct recorder *r, struct error *err)
{
    if (r->failure) {
        error_destroy(err);
        return;
    }
    r->failure = err;
    if (r->host->failed)
        r->host->failed(r->host->context, r->rec, err);
}

static void recorder_add_track(struct recorder *r, struct recorder_track *track)
{
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 4;
        struct recorder_track **tracks = xalloc(r->room * sizeof *tracks);
        bool *hung_up = xalloc(r->room * sizeof *hung_up);
        if (r->count) {
            memcpy(tracks, r->tracks, r->count * sizeof *tracks);
            memcpy(hung_up, r->hung_up, r->count * sizeof *hung_up);
        }
        free(r->tracks);
        free(r->hung_up);
        r->tracks = tracks;
        r->hung_up = hung_up;
    }
    r->hung_up[r->count] = false;
    r->tracks[r->count++] = track;
}

static void answer_hello(struct recorder *r, const struct channel_hello *hello, int socket)
{
    if (r->failure || hello->version != CHANNEL_VERSION) {
        recorder_track_refuse(socket, r->failure ? ENOSPC : EPROTO);
        return;
    }
    struct recorder_track *track;
    struct recorder_pace pace = {r->job->snapshots_apart, r->job->snapshots_exact};
    struct error *err =
        recorder_track_create(r->rec, hello, r->tracks_made, socket, choose_ring_size(r),
                              r->stopped, r->mapped, &pace, &track);
    if (err) {
        recorder_fail(r, err);
        return;
    }
    r->tracks_made++;
    recorder_add_track(r, track);
}

static void recorder_hear_shared(struct recorder *r)
{
    union packet packet;
    int fd;
    switch (packet_receive(r->shared, &packet, &fd)) {
    case PACKET_GOT:
        if (packet.message.kind == CHANNEL_HELLO && fd >= 0)
            answer_hello(r, &packet.hello, fd);
        else if (fd >= 0)
            close(fd);
        break;
    case PACKET_CLOSED:
        close(r->shared);
        r->shared = -1;
        break;
    case PACKET_NONE:
    case PACKET_MALFORMED:
        break;
    }
}

/* Returns the path of an open descriptor; NULL: not known. The caller frees it. */
static char *recorder_path_of(int fd)
{
    char *link = xformat("/proc/self/fd/%d", fd), path[PATH_MAX];
    ssize_t length = readlink(link, path, sizeof path);
    free(link);
    return length > 0 ? xformat("%.*s", (int)length, path) : NULL;
}

static void tell_not_copied(struct recorder *r, int fd, int error)
{
    if (r->has_not_copied)
        return;
    r->has_not_copied = true;
    char *path = recorder_path_of(fd);
    if (r->host->not_copied)
        r->host->not_copied(r->host->context, r->rec, path, error);
    free(path);
}

static void keep_file(struct recorder *r, struct recorder_track *track,
                      const struct channel_keep *keep, int fd)
{
    struct channel_kept kept = {.error = ENOSPC};
    if (!r->failure && fd >= 0) {
        kept.error = (u32)recorder_files_keep(&r->files, r->rec, keep, fd, &kept.copy);
        if (kept.error)
            tell_not_copied(r, fd, (int)kept.error);
    }
    packet_send(recorder_track_socket(track), &kept.message, CHANNEL_KEPT, sizeof kept, -1);
}

static void hear_track(struct recorder *r, size_t i)
{
    union packet packet;
    int fd, socket = recorder_track_socket(r->tracks[i]);
    u32 number = recorder_track_number(r->tracks[i]);
    switch (packet_receive(socket, &packet, &fd)) {
    case PACKET_GOT:
        if (packet.message.kind == CHANNEL_KEEP)
            keep_file(r, r->tracks[i], &packet.keep, fd);
        else if (packet.message.kind == CHANNEL_ROOM)
            recorder_snapshots_give(r->snapshots, number, socket, &packet.room);
        else if (packet.message.kind == CHANNEL_SNAPSHOT)
            recorder_snapshots_take(r->snapshots, number, &packet.snapshot);
        if (fd >= 0)
            close(fd);
        break;
    case PACKET_CLOSED:
        r->hung_up[i] = true;
        recorder_snapshots_forget(r->snapshots, number);
        recorder_track_hang_up(r->tracks[i]);
        break;
    case PACKET_NONE:
    case PACKET_MALFORMED:
        break;
    }
}

static void keep_limit(struct recorder *r, char *limit)
{
    if (r->limit)
        free(limit);
    else
        r->limit = limit;
}

static void keep_remark(struct recorder *r, char *remark)
{
    bool known = !remark || r->remark_count == RECORDER_REMARKS_MOST;
    for (size_t i = 0; i < r->remark_count && !known; i++)
        known = strcmp(r->remarks[i], remark) == 0;
    if (known)
        free(remark);
    else
        r->remarks[r->remark_count++] = remark;
}

/* True if the recording was ended and the processes are to continue. */
static bool is_leaving(const struct recorder *r)
{
    return r->ended_by && !r->job->kill;
}

/* Reports why tracks stopped; destroys those whose process is gone as well. */
static void reap_tracks(struct recorder *r)
{
    for (size_t i = r->count; i-- > 0;) {
        struct recorder_track *track = r->tracks[i];
        if (!recorder_track_stopped(track))
            continue;
        struct error *err = recorder_track_error(track);
        if (err)
            recorder_fail(r, err);
        if (!r->hung_up[i] && !is_leaving(r))
            continue;
        struct recorder_figures f = recorder_track_figures(track);
        r->past.events += f.events;
        r->past.raw += f.raw;
        r->past.stored += f.stored;
        r->past.core |= f.core;
        r->past.entered |= f.entered;
        keep_limit(r, recorder_track_limit(track));
        keep_remark(r, recorder_track_remark(track));
        recorder_track_destroy(track);
        r->count--;
        r->tracks[i] = r->tracks[r->count];
        r->hung_up[i] = r->hung_up[r->count];
    }
}

u64 recorder_stored(const struct recorder *r)
{
    u64 bytes = r->past.stored + r->files.bytes;
    if (r->snapshots) /* the file is not complete yet */
        bytes += recorder_snapshots_stored(r->snapshots);
    for (size_t i = 0; i < r->count; i++)
        bytes += recorder_track_figures(r->tracks[i]).stored;
    return bytes;
}

/* The loop */

/* Tests twice, with a pause: if both were continued at the same time, the child may not have run
 * yet. */
static bool is_stopped(pid_t child)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
        return false;
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    info.si_pid = 0;
    return waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid;
}

static bool is_in_foreground(pid_t wanted)
{
    int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0)
        return false;
    pid_t group = tcgetpgrp(terminal);
    close(terminal);
    return group == wanted;
}

/* In the group that a shell continues, the program needs no signal from here. */
static void continue_program(struct recorder *r)
{
    if (recorder_front_continued(&r->front) && !r->reaped && getpgid(r->child) != r->front.group)
        kill(r->child, SIGCONT);
}

/* The program may have stopped itself, as with `kill -STOP $$`. A shell that waits for the front
 * must see that. */
static void hear_child(struct recorder *r)
{
    if (!r->reaped && waitpid(r->child, &r->wait_status, WNOHANG) == r->child) {
        r->reaped = true;
        r->reaped_at = wall_clock_now();
    }
    if (!r->reaped && r->front.group && is_stopped(r->child) && is_in_foreground(r->front.group))
        recorder_front_stop(&r->front);
}

/* The first process has ended, others live on */

static struct recorder_process recorder_process_of(const struct recorder_track *t)
{
    struct recorder_process p = {recorder_track_pid(t), "?"};
    char *path = xformat("/proc/%d/comm", (int)p.pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, p.name, sizeof p.name - 1);
    if (got > 0)
        p.name[got] = '\0';
    p.name[strcspn(p.name, "\n")] = '\0';
    for (char *c = p.name; *c; c++)
        *c = (u8)*c < 32 || *c == 127 ? '?' : *c;
    if (fd >= 0)
        close(fd);
    free(path);
    return p;
}

static void tell_waits(struct recorder *r)
{
    r->told_waits = true;
    struct recorder_process *list = xalloc((r->count + 1) * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (!r->hung_up[i])
            list[count++] = recorder_process_of(r->tracks[i]);
    if (r->host->waits && count)
        r->host->waits(r->host->context, r->rec, list, count);
    free(list);
}

static void signal_all(struct recorder *r, int signal)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->hung_up[i])
            kill(recorder_track_pid(r->tracks[i]), signal);
}

static void leave_all(struct recorder *r)
{
    for (size_t i = 0; i < r->count; i++) {
        r->left += !r->hung_up[i];
        recorder_track_leave(r->tracks[i]);
    }
    if (r->shared >= 0)
        close(r->shared);
    r->shared = -1;
}

/* Processes that are to be ended get some time; a second signal ends them at once. */
static void recorder_end(struct recorder *r, int signal)
{
    if (!r->job->kill && !r->ended_by) {
        r->ended_by = signal;
        leave_all(r);
    } else if (r->job->kill && !r->ended_by) {
        r->ended_by = signal;
        r->kill_at = wall_clock_now() + KILL_NS;
        signal_all(r, SIGTERM);
    } else if (r->job->kill) {
        r->kill_at = wall_clock_now();
    }
}

/* Does what is due by the clock. */
static void recorder_look_at_clock(struct recorder *r)
{
    u64 now = wall_clock_now();
    if (r->reaped && !r->told_waits && !r->ended_by && now - r->reaped_at >= TELL_WAITS_NS)
        tell_waits(r);
    if (r->kill_at && now >= r->kill_at)
        signal_all(r, SIGKILL); /* again, in case they have made other processes */
}

/* Returns how long a turn may wait, in milliseconds. */
static int recorder_patience(const struct recorder *r, int timeout)
{
    bool waits = r->reaped && !r->told_waits, kills = r->kill_at != 0;
    int own = kills ? 50 : waits ? (int)(TELL_WAITS_NS / MILLISECOND / 5) : -1;
    return own < 0 ? timeout : timeout < 0 || own < timeout ? own : timeout;
}

/* A signal is meant for the program, which gets it unless its whole group, and so the program,
 * already did. If the program has ended, the signal ends the recording; but not if the same signal,
 * sent to the whole group, may have ended the program and is about to end the others. */
static void recorder_hear_signals(struct recorder *r)
{
    struct signalfd_siginfo info;
    if (read(r->signals, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo == SIGCHLD) {
        hear_child(r);
        return;
    }
    if (info.ssi_signo == SIGCONT) {
        continue_program(r);
        return;
    }
    bool all = recorder_front_says_all(&r->front, &info);
    hear_child(r);
    if (!r->reaped && !all)
        kill(r->child, (int)info.ssi_signo);
    else if (r->reaped && (!all || wall_clock_now() - r->reaped_at >= TELL_WAITS_NS))
        recorder_end(r, (int)info.ssi_signo);
}

/* Only wakes the thread: reap_tracks tests all tracks. */
static void recorder_hear_stopped(struct recorder *r)
{
    u64 count;
    if (read(r->stopped, &count, sizeof count) < 0)
        return;
}

bool recorder_is_over(const struct recorder *r)
{
    return r->reaped && r->shared < 0 && r->count == 0;
}

void recorder_turn(struct recorder *r, int timeout)
{
    size_t count = r->count;
    struct pollfd *polls = xalloc((FIXED_POLLS + count) * sizeof *polls);
    polls[0] = (struct pollfd){.fd = r->signals, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = r->shared, .events = POLLIN};
    polls[2] = (struct pollfd){.fd = r->stopped, .events = POLLIN};
    for (size_t i = 0; i < count; i++) {
        int fd = r->hung_up[i] ? -1 : recorder_track_socket(r->tracks[i]);
        polls[FIXED_POLLS + i] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    if (poll(polls, FIXED_POLLS + count, recorder_patience(r, timeout)) > 0) {
        for (size_t i = 0; i < count; i++)
            if (polls[FIXED_POLLS + i].revents)
                hear_track(r, i);
        if (polls[0].revents)
            recorder_hear_signals(r);
        if (polls[1].revents)
            recorder_hear_shared(r);
        if (polls[2].revents)
            recorder_hear_stopped(r);
    }
    free(polls);
    reap_tracks(r);
    recorder_look_at_clock(r);
}

/* Before and after */

static struct error *recorder_describe(struct recorder *r, const char *program, char **argv)
{
    struct recording_meta *meta = &r->rec->meta;
    size_t count = 0;
    while (argv[count])
        count++;
    meta->arguments = xalloc((count + 1) * sizeof *meta->arguments);
    for (size_t i = 0; i < count; i++)
        meta->arguments[i] = xformat("%s", argv[i]);
    meta->arguments[count] = NULL;
    char *absolute = realpath(program, NULL);
    meta->program = absolute ? absolute : xformat("%s", program);
    meta->directory = getcwd(NULL, 0);
    meta->started = wall_clock_now();
    recorder_describe_machine(meta);
    return recording_save(r->rec);
}

/* Completes the meta file. */
static void conclude(struct recorder *r)
{
    struct recording_meta *meta = &r->rec->meta;
    meta->ended = wall_clock_now();
    meta->tracks = r->tracks_made;
    meta->core = r->past.core || (WIFSIGNALED(r->wait_status) && WCOREDUMP(r->wait_status));
    meta->signal = WIFSIGNALED(r->wait_status) ? WTERMSIG(r->wait_status) : 0;
    meta->status = WIFSIGNALED(r->wait_status) ? -1 : WEXITSTATUS(r->wait_status);
    meta->state = r->failure ? RECORDING_CUT : RECORDING_ENDED;
    if (r->failure)
        meta->why = xformat("%s", error_text(r->failure));
    struct error *err = recording_save(r->rec);
    if (err)
        recorder_fail(r, err);
}

static enum recorder_result recorder_result_of(const struct recorder *r)
{
    int status = engine_exit_status(r->wait_status);
    bool program_failed = status != 0 || r->past.core;
    bool engine_refused = status >= CHANNEL_EXIT_OURS && status <= CHANNEL_EXIT_NOT_FOUND;
    if (r->tracks_made == 0 || (engine_refused && !r->past.entered && !r->failure))
        return RECORDER_NOTHING;
    return r->job->only_if_failed && !program_failed ? RECORDER_REMOVED : RECORDER_KEPT;
}

/* Processor time, user's and system's, in nanoseconds. */
static u64 used_time(int whose)
{
    struct rusage used;
    if (getrusage(whose, &used) < 0)
        return 0;
    return (u64)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ull +
           (u64)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ull;
}

/* A run that did not start, or that the user does not want to keep, leaves no files. */
void recorder_finish(struct recorder *r, struct recorder_outcome *ret)
{
    assert(recorder_is_over(r));
    recorder_mapped_finish(take(r->mapped));
    recorder_snapshots_finish(take(r->snapshots), &r->rec->meta);
    r->rec->meta.program_ns = used_time(RUSAGE_CHILDREN);
    r->rec->meta.recorder_ns = used_time(RUSAGE_SELF);
    conclude(r);
    *ret = (struct recorder_outcome){
        .result = recorder_result_of(r),
        .wait_status = r->wait_status,
        .failed = r->failure != NULL,
        .ended_by = r->ended_by,
        .left = r->left,
        .events = r->past.events,
        .limit = r->limit,
        .remarks = r->remarks,
    };
    if (ret->result != RECORDER_KEPT)
        ret->err = recording_remove(r->rec);
}

static const char *recorder_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static struct error *make_recording(struct recorder *r)
{
    const struct engine_start *start = r->job->start;
    const char *name = recorder_base_name(start->argv[0]);
    struct error *err = recording_create(r->job->output, name, &r->rec);
    if (!err)
        recorder_front_tell(&r->front, r->rec->path);
    if (!err)
        err = recorder_describe(r, start->program, start->argv);
    return err ? error_within(err, "cannot record") : NULL;
}

static struct error *watch(struct recorder *r)
{
    sigset_t mask;
    recorder_front_signals(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGCONT);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    r->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    r->stopped = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (r->signals < 0 || r->stopped < 0) /* the program runs, but is not recorded */
        return error_errno(errno, "cannot watch the program");
    return NULL;
}

static struct error *start_program(struct recorder *r)
{
    struct error *err = engine_spawn(r->job->start, "record", &r->child, &r->shared);
    if (err)
        return err;
    recorder_front_leave_group(&r->front);
    return watch(r);
}

struct error *recorder_start(const struct recorder_job *job, const struct recorder_host *host,
                             struct recorder **ret)
{
    struct recorder *r = xalloc(sizeof *r);
    *r = (struct recorder){.job = job, .host = host, .shared = -1, .signals = -1, .stopped = -1};
    if (job->front)
        r->front = *job->front;
    struct error *err = make_recording(r);
    if (!err) {
        r->mapped = recorder_mapped_create(r->rec);
        r->snapshots =
            recorder_snapshots_create(r->rec, job->snapshot_bytes, job->snapshots_exact);
        err = start_program(r);
    }
    if (!err) {
        *ret = r;
        return NULL;
    }
    if (r->rec)
        error_destroy(recording_remove(r->rec));
    recorder_destroy(r);
    return err;
}

const struct recording *recorder_recording(const struct recorder *r)
{
    return r->rec;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

void recorder_destroy(struct recorder *r)
{
    if (!r)
        return;
    recorder_mapped_finish(r->mapped);
    recorder_snapshots_finish(r->snapshots, r->rec ? &r->rec->meta : NULL);
    recorder_files_deinit(&r->files);
    recording_destroy(r->rec);
    error_destroy(r->failure);
    close_if_open(r->shared);
    close_if_open(r->signals);
    close_if_open(r->stopped);
    free(r->limit);
    for (size_t i = 0; i < r->remark_count; i++)
        free(r->remarks[i]);
    free(r->tracks);
    free(r->hung_up);
    free(r);
}
