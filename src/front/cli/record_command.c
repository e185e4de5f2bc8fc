/* ebb record: a program on the engine, and everything that happens to it written down.
 *
 * ebb is the parent, behind a front (recorder/recorder_front.h).  The program's processes send a
 * hello for each image (log/channel.h), and a thread for each of them moves its events from shared
 * memory to its file (recorder/recorder_track.c).  This
 * file is what the main thread does: it starts the program, answers hellos, keeps copies of files,
 * notices who is gone, and at the end says what there is.
 *
 * The program must never suffer: whatever goes wrong with the recording is said once, the
 * program goes on, and what was written stays usable.
 *
 *     started --(hello)--> recording --(every image hung up, child reaped)--> ended
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/complain.h"
#include "base/error.h"
#include "base/option_value.h"
#include "base/types.h"
#include "base/wall_clock.h"
#include "base/xalloc.h"
#include "front/cli/cli.h"
#include "front/cli/cpu_option.h"
#include "front/cli/figures.h"
#include "front/cli/growth.h"
#include "front/cli/program_lookup.h"
#include "front/cli/setting_list.h"
#include "log/engine_locate.h"
#include "log/engine_start.h"
#include "log/format.h"
#include "log/packets.h"
#include "log/recording.h"
#include "log/ring.h"
#include "recorder/recorder_files.h"
#include "recorder/recorder_front.h"
#include "recorder/recorder_machine.h"
#include "recorder/recorder_mapped.h"
#include "recorder/recorder_track.h"

enum {
    RING_SIZE = 16 << 20,
    RINGS_MOST = 64 << 20, /* all that live together, as far as the smallest size allows */
    FIXED_POLLS = 3,       /* signals, the shared socket, threads that stopped */
};

struct options {
    const char *output;
    bool quiet, keep_failed;
    struct setting_list settings;
};

struct recorder {
    struct recording *rec;
    const struct options *options;
    struct recorder_front front;
    pid_t child;
    int shared, signals, stopped; /* the shared socket is -1 after it hung up */
    bool reaped;
    int wait_status;
    struct recorder_track **tracks; /* live ones; `count` of them */
    bool *hung_up;
    size_t count, room;
    u32 tracks_made;
    struct recorder_figures past; /* of those that are no more */
    char *limit;                /* the first thing that one of them says cannot be replayed */
    struct error *failure;      /* the first, already said */
    bool has_not_copied;   /* a file that was mapped, for want of room; that was said */
    struct recorder_files files;
    struct recorder_mapped *mapped;
    struct growth growth;
};

/* Tracks */

static u64 rings_alive(const struct recorder *r)
{
    u64 bytes = 0;
    for (size_t i = 0; i < r->count; i++)
        bytes += recorder_track_figures(r->tracks[i]).ring;
    return bytes;
}

/* Large at first, less for each when many live. */
static u64 choose_ring_size(const struct recorder *r)
{
    u64 used = rings_alive(r), size = RING_SIZE;
    while (size > RING_SIZE_LEAST && used + ring_bytes(size) > RINGS_MOST)
        size /= 2;
    return size;
}

/* The first failure is said, and kept for the meta file; others follow from it. */
static void fail(struct recorder *r, struct error *err)
{
    if (r->failure) {
        error_destroy(err);
        return;
    }
    growth_clear(&r->growth);
    complain(0, "%s: %s; the program goes on unrecorded", r->rec->path, error_text(err));
    r->failure = err;
}

static void add_track(struct recorder *r, struct recorder_track *track)
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
    struct error *err = recorder_track_create(r->rec, hello, r->tracks_made, socket,
                                              choose_ring_size(r), r->stopped, r->mapped, &track);
    if (err) {
        fail(r, err);
        return;
    }
    r->tracks_made++;
    add_track(r, track);
}

static void hear_shared(struct recorder *r)
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

/* Said of the first: the run goes on, but cannot be replayed when the file has changed. */
static void say_not_copied(struct recorder *r, int fd, int error)
{
    char *link = xformat("/proc/self/fd/%d", fd), path[PATH_MAX];
    ssize_t length = readlink(link, path, sizeof path);
    free(link);
    if (r->has_not_copied)
        return;
    r->has_not_copied = true;
    growth_clear(&r->growth);
    complain(0, "%s: %.*s is not copied: %s; a replay will need it as it is now", r->rec->path,
             length > 0 ? (int)length : 6, length > 0 ? path : "a file", strerror(error));
}

static void keep_file(struct recorder *r, struct recorder_track *track,
                      const struct channel_keep *keep, int fd)
{
    struct channel_kept kept = {.error = ENOSPC};
    if (!r->failure && fd >= 0) {
        kept.error = (u32)recorder_files_keep(&r->files, r->rec, keep, fd, &kept.copy);
        if (kept.error)
            say_not_copied(r, fd, (int)kept.error);
    }
    packet_send(recorder_track_socket(track), &kept.message, CHANNEL_KEPT, sizeof kept, -1);
}

static void hear_track(struct recorder *r, size_t i)
{
    union packet packet;
    int fd;
    switch (packet_receive(recorder_track_socket(r->tracks[i]), &packet, &fd)) {
    case PACKET_GOT:
        if (packet.message.kind == CHANNEL_KEEP)
            keep_file(r, r->tracks[i], &packet.keep, fd);
        if (fd >= 0)
            close(fd);
        break;
    case PACKET_CLOSED:
        r->hung_up[i] = true;
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

/* Says what stopped a track; lets go of those whose process is gone as well. */
static void reap_tracks(struct recorder *r)
{
    for (size_t i = r->count; i-- > 0;) {
        struct recorder_track *track = r->tracks[i];
        if (!recorder_track_stopped(track))
            continue;
        struct error *err = recorder_track_error(track);
        if (err)
            fail(r, err);
        if (!r->hung_up[i])
            continue;
        struct recorder_figures f = recorder_track_figures(track);
        r->past.events += f.events;
        r->past.raw += f.raw;
        r->past.stored += f.stored;
        r->past.core |= f.core;
        keep_limit(r, recorder_track_limit(track));
        recorder_track_destroy(track);
        r->count--;
        r->tracks[i] = r->tracks[r->count];
        r->hung_up[i] = r->hung_up[r->count];
    }
}

static u64 stored_so_far(const struct recorder *r)
{
    u64 bytes = r->past.stored + r->files.bytes;
    for (size_t i = 0; i < r->count; i++)
        bytes += recorder_track_figures(r->tracks[i]).stored;
    return bytes;
}

/* The loop */

/* Twice, with a pause: if we have just been continued together, its turn may be yet to come. */
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

/* In the group that a shell continues it needs no word of ours. */
static void continue_program(struct recorder *r)
{
    if (recorder_front_continued(&r->front) && !r->reaped && getpgid(r->child) != r->front.group)
        kill(r->child, SIGCONT);
}

/* The program may have stopped itself, as by `kill -STOP $$`, and a shell waits for us: it is told. */
static void hear_child(struct recorder *r)
{
    if (!r->reaped && waitpid(r->child, &r->wait_status, WNOHANG) == r->child)
        r->reaped = true;
    if (!r->reaped && is_stopped(r->child) && is_in_foreground(r->front.group))
        recorder_front_stop(&r->front);
}

/* SIGTERM and SIGHUP are meant for the program: it gets them unless the terminal, which sends to
 * all, did it. */
static void hear_signals(struct recorder *r)
{
    struct signalfd_siginfo info;
    if (read(r->signals, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo == SIGCHLD)
        hear_child(r);
    else if (info.ssi_signo == SIGCONT)
        continue_program(r);
    else if (!r->reaped && info.ssi_code != SI_KERNEL)
        kill(r->child, (int)info.ssi_signo);
}

/* Only to be woken: reap_tracks looks for itself. */
static void hear_stopped(struct recorder *r)
{
    u64 count;
    if (read(r->stopped, &count, sizeof count) < 0)
        return;
}

static bool is_over(const struct recorder *r)
{
    return r->reaped && r->shared < 0 && r->count == 0;
}

/* Waits for something to happen, and sees to it. */
static void turn(struct recorder *r)
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
    if (poll(polls, FIXED_POLLS + count, growth_wait(&r->growth)) > 0) {
        for (size_t i = 0; i < count; i++)
            if (polls[FIXED_POLLS + i].revents)
                hear_track(r, i);
        if (polls[0].revents)
            hear_signals(r);
        if (polls[1].revents)
            hear_shared(r);
        if (polls[2].revents)
            hear_stopped(r);
    }
    free(polls);
    reap_tracks(r);
    growth_show(&r->growth, stored_so_far(r));
}

/* Before and after */

static struct error *describe(struct recorder *r, const char *program, char **argv)
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

/* The last word of the meta file. */
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
        fail(r, err);
}

static void say_result(struct recorder *r)
{
    if (r->options->quiet)
        return;
    char size[FIGURES_ROOM], time[FIGURES_ROOM];
    complain(0, "recorded %s, %s, %llu events: %s",
             figures_time(time, r->rec->meta.ended - r->rec->meta.started),
             figures_bytes(size, recording_size(r->rec)),
             (unsigned long long)r->past.events, r->rec->path);
    if (r->limit)
        complain(0, "not all of it can be replayed: %s", r->limit);
}

/* A run that did not come about, or that is not to be kept, leaves nothing behind. */
static void finish(struct recorder *r)
{
    int status = engine_exit_status(r->wait_status);
    bool failed = status != 0 || r->past.core;
    growth_clear(&r->growth);
    recorder_mapped_finish(take(r->mapped));
    conclude(r);
    struct error *err = NULL;
    if (r->tracks_made == 0) {
        err = recording_remove(r->rec);
        if (!r->failure && (status < CHANNEL_EXIT_OURS || status > CHANNEL_EXIT_NOT_FOUND))
            complain(0, "the program was not recorded");
    } else if (r->options->keep_failed && !failed) {
        err = recording_remove(r->rec);
        if (!err && !r->options->quiet)
            complain(0, "the program did not fail; its recording is removed");
    } else {
        say_result(r);
    }
    if (err)
        error_complain(err, 0);
}

static int watch(struct recorder *r)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigaddset(&mask, SIGCONT);
    r->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    r->stopped = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (r->signals < 0 || r->stopped < 0) /* the program runs; without us it is not recorded */
        return complain(CHANNEL_EXIT_OURS, "cannot watch the program: %s", strerror(errno));
    while (!is_over(r))
        turn(r);
    finish(r);
    return engine_exit_status(r->wait_status);
}

/* What the program may open and write is no limit for its recorder, as far as we may choose. */
static void raise_limits(void)
{
    static const int limits[] = {RLIMIT_FSIZE, RLIMIT_NOFILE};
    for (size_t i = 0; i < countof(limits); i++) {
        struct rlimit limit;
        if (getrlimit(limits[i], &limit) == 0) {
            limit.rlim_cur = limit.rlim_max;
            setrlimit(limits[i], &limit);
        }
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int record(const struct options *options, const struct engine_start *start,
                  const struct recorder_front *front)
{
    struct recorder r = {.options = options, .front = *front, .shared = -1};
    struct error *err = recording_create(options->output, base_name(start->argv[0]), &r.rec);
    if (!err)
        err = describe(&r, start->program, start->argv);
    if (err) {
        if (r.rec)
            error_destroy(recording_remove(r.rec));
        recording_destroy(r.rec);
        return error_complain(error_within(err, "cannot record"), CHANNEL_EXIT_OURS);
    }
    r.mapped = recorder_mapped_create(r.rec);
    growth_init(&r.growth, options->quiet, front->group);
    int status;
    err = engine_spawn(start, "record", &r.child, &r.shared);
    if (err) {
        error_destroy(recording_remove(r.rec));
        status = error_complain(err, CHANNEL_EXIT_OURS);
    } else {
        recorder_front_leave_group(front);
        raise_limits();
        status = watch(&r);
    }
    recorder_mapped_finish(r.mapped);
    recorder_files_deinit(&r.files);
    recording_destroy(r.rec);
    error_destroy(r.failure);
    free(r.limit);
    free(r.tracks);
    free(r.hung_up);
    engine_end_likewise(r.wait_status);
    return status;
}

/* The command line */

static int add_check(struct options *options, const char *ticks)
{
    char *setting = xformat("check=%s", ticks);
    int status = setting_list_add(&options->settings, setting);
    free(setting);
    return status;
}

/* A seed that nobody gave is drawn, and told: with it the run can be tried again. */
static int add_chaos(struct options *options, const char *seed)
{
    u32 drawn = 0;
    while (!seed && !drawn)
        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
            drawn = (u32)time(NULL) | 1;
    char *setting = seed ? xformat("chaos=%s", seed) : xformat("chaos=%u", drawn);
    int status = setting_list_add(&options->settings, setting);
    if (!status && !options->quiet)
        fprintf(stderr, "ebb: %s\n", setting);
    free(setting);
    return status;
}

/* One option at argv[*at], which moves on to the last word of it. */
static int read_option(int argc, char **argv, int *at, struct options *options)
{
    const char *word = argv[*at], *value;
    if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0) {
        options->quiet = true;
    } else if (strcmp(word, "-o") == 0) {
        if (*at + 1 >= argc || !*argv[*at + 1])
            return complain(CHANNEL_EXIT_USAGE, "-o needs the name of a directory");
        options->output = argv[++*at];
    } else if ((value = option_value(word, "--keep-if="))) {
        if (strcmp(value, "failed") != 0)
            return complain(CHANNEL_EXIT_USAGE, "--keep-if is 'failed', not '%s'", value);
        options->keep_failed = true;
    } else if ((value = option_value(word, "--check="))) {
        return add_check(options, value);
    } else if (strcmp(word, "--chaos") == 0) {
        return add_chaos(options, NULL);
    } else if ((value = option_value(word, "--chaos="))) {
        return add_chaos(options, value);
    } else if ((value = option_value(word, "--cpu="))) {
        return cpu_option_add(&options->settings, value);
    } else if ((value = option_value(word, "--setting="))) {
        return setting_list_add(&options->settings, value);
    } else {
        return complain(CHANNEL_EXIT_USAGE, "record has no option '%s'; see 'ebb help record'",
                        word);
    }
    return 0;
}

static int read_options(int argc, char **argv, struct options *options, int *ret)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        int status = read_option(argc, argv, &at, options);
        if (status)
            return status;
    }
    *ret = at;
    return 0;
}

int cli_record(int argc, char **argv)
{
    struct options options = {0};
    int at;
    int status = read_options(argc, argv, &options, &at);
    if (status)
        return status;
    if (at >= argc)
        return complain(CHANNEL_EXIT_USAGE, "record needs a program to run; see 'ebb help record'");
    struct engine_start start = {.argc = argc - at, .argv = argv + at};
    status = program_lookup(argv[at], &start.program);
    if (status)
        return status;
    struct error *err = engine_locate(&start.engine);
    if (err)
        return error_complain(err, CHANNEL_EXIT_OURS);
    start.settings = setting_list_text(&options.settings);
    struct recorder_front front;
    return recorder_front_divide(&front, &status) ? record(&options, &start, &front) : status;
}

void cli_record_explain(void)
{
    printf("\n"
           "PROGRAM is looked up in PATH and runs as it would without ebb; everything that makes\n"
           "its run what it is goes into a recording, a directory that only you can read.\n"
           "\n"
           "  -o DIRECTORY       where to; must not be there yet, or be empty.  Without it:\n"
           "                     NAME-1, NAME-2, ... in $EBB_RECORDINGS or ~/.local/share/ebb,\n"
           "                     where 'latest' points to it\n"
           "  --keep-if=failed   remove the recording unless the program ended with a status\n"
           "                     other than 0, by a signal, or a process of it dumped core\n"
           "  --check=TICKS      record a hash of memory every so many ticks, for replay to compare\n"
           "  --chaos[=SEED]     give threads time slices of random lengths, to bring out races; the\n"
           "                     seed is printed\n"
           CPU_OPTION_HELP
           "  -q, --quiet        say nothing about the recording\n"
           "  --setting=NAME=VALUE  as for exec\n"
           "\n"
           "The status is the program's, 128+N if signal N ended it, or as for exec.  If an\n"
           "interrupt ended it, ebb ends by one, too.\n");
}
