/* One track again, with the log in place of the world.
 *
 * ebb starts an engine for the track, feeds it the events (replay_feed.c), hands it the
 * files it asks for, and waits for its verdict.  The program's output comes from the engine.  Only
 * a verdict on the whole track, fed to its end without fault, counts as success.
 */
#include "front/cli/replay_track.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/xalloc.h"
#include "front/cli/replay_feed.h"
#include "log/lineage.h"
#include "log/packets.h"
#include "log/recording_file.h"
#include "session/engine_locate.h"
#include "session/engine_start.h"
#include "session/replay_start.h"

struct replay {
    const struct recording *rec;
    u32 track;
    struct lineage *events;
    pid_t child;
    int shared, signals;
    bool reaped;
    int wait_status;
    struct replay_feed *feed;
    bool judged;
    struct channel_verdict verdict;
    struct error *err;
};

static void hear_shared(struct replay *r)
{
    union packet packet;
    int fd;
    enum packet_result result = packet_receive(r->shared, &packet, &fd);
    if (result == PACKET_CLOSED) {
        close(r->shared);
        r->shared = -1;
    } else if (result == PACKET_GOT && packet.message.kind == CHANNEL_HELLO && fd >= 0 &&
               !r->feed && !r->err && packet.hello.version == CHANNEL_VERSION) {
        r->err = replay_feed_create(r->events, r->track, fd, &r->feed);
    } else if (fd >= 0) {
        close(fd);
    }
}

/* A file for an engine that maps it.  One that is damaged, gone or changed ends the replay. */
static void answer_fetch(struct replay *r, const struct channel_fetch *fetch)
{
    struct channel_kept kept = {.copy = fetch->copy};
    int fd = -1;
    if (!r->err)
        r->err = recording_file_fetch(r->rec, fetch, &fd);
    kept.error = r->err ? EBADMSG : 0;
    packet_send(replay_feed_socket(r->feed), &kept.message, CHANNEL_KEPT, sizeof kept, fd);
    if (fd >= 0)
        close(fd);
}

/* False when nothing more will come. */
static bool hear_track(struct replay *r)
{
    union packet packet;
    int fd;
    enum packet_result result = packet_receive(replay_feed_socket(r->feed), &packet, &fd);
    if (fd >= 0)
        close(fd);
    if (result == PACKET_GOT && packet.message.kind == CHANNEL_FETCH)
        answer_fetch(r, &packet.fetch);
    if (result == PACKET_GOT && packet.message.kind == CHANNEL_VERDICT) {
        r->verdict = packet.verdict;
        r->verdict.recorded[CHANNEL_VERDICT_TEXT - 1] = '\0';
        r->verdict.happened[CHANNEL_VERDICT_TEXT - 1] = '\0';
        r->judged = true;
    }
    return result == PACKET_GOT || result == PACKET_MALFORMED;
}

static void hear_signals(struct replay *r)
{
    struct signalfd_siginfo info;
    if (read(r->signals, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo != SIGCHLD)
        kill(r->child, (int)info.ssi_signo);
    else if (waitpid(r->child, &r->wait_status, WNOHANG) == r->child)
        r->reaped = true;
}

static void turn(struct replay *r)
{
    struct pollfd polls[] = {
        {.fd = r->signals, .events = POLLIN},
        {.fd = r->shared, .events = POLLIN},
        {.fd = r->feed ? replay_feed_socket(r->feed) : -1, .events = POLLIN},
    };
    if (poll(polls, countof(polls), -1) <= 0)
        return;
    if (polls[2].revents & POLLIN)
        hear_track(r);
    else if (polls[2].revents) /* hung up: only the end of the process is left to wait for */
        r->reaped = waitpid(r->child, &r->wait_status, 0) == r->child;
    if (polls[1].revents)
        hear_shared(r);
    if (polls[0].revents && !r->reaped)
        hear_signals(r);
}

static void run(struct replay *r)
{
    while (!r->reaped && !r->err)
        turn(r);
    if (!r->reaped) {
        kill(r->child, SIGKILL);
        waitpid(r->child, &r->wait_status, 0);
    }
    while (r->feed && hear_track(r)) {
        /* what it said before it went */
    }
    struct error *err = replay_feed_destroy(r->feed);
    if (!r->err)
        r->err = err;
    else
        error_destroy(err);
    if (r->shared >= 0)
        close(r->shared);
}

/* What came of it, said and as a status. */

static int report_divergence(const struct replay *r)
{
    const struct channel_verdict *v = &r->verdict;
    complain(0, "track %u: the replay differs at %llu:0x%llx, thread %u, after %llu events",
             r->track, (unsigned long long)v->tick, (unsigned long long)v->pc, v->thread,
             (unsigned long long)v->event);
    complain(0, "  recorded: %s", v->recorded);
    return complain(CHANNEL_EXIT_DIVERGED, "  happened: %s", v->happened);
}

static int report_silence(const struct replay *r)
{
    if (WIFSIGNALED(r->wait_status))
        return complain(CHANNEL_EXIT_OURS, "track %u: the replay died by signal %d (%s)", r->track,
                        WTERMSIG(r->wait_status), strsignal(WTERMSIG(r->wait_status)));
    return complain(CHANNEL_EXIT_OURS, "track %u: the replay ended with status %d and no verdict",
                    r->track, WEXITSTATUS(r->wait_status));
}

static int report(struct replay *r)
{
    if (r->judged && r->verdict.verdict == CHANNEL_DIVERGED) {
        error_destroy(r->err);
        return report_divergence(r);
    }
    if (r->err)
        return error_complain(error_within(r->err, "%s", r->rec->path), 1);
    if (!r->judged)
        return report_silence(r);
    if (r->verdict.verdict == CHANNEL_REPRODUCED)
        return 0;
    return complain(1, "track %u cannot be replayed: %s", r->track, r->verdict.happened);
}

/* Starting */

static int watch_signals(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

static char *join_settings(const char *recorded, const char *more)
{
    return xformat("%s%s%s", recorded, *recorded && *more ? "," : "", more);
}

static int start_and_run(struct replay *r, const struct replay_start *from, const char *more)
{
    struct engine_start start = {.program = from->path, .argc = from->argc, .argv = from->argv};
    int status;
    struct error *err = engine_locate(&start.engine);
    if (err)
        return error_complain(err, CHANNEL_EXIT_OURS);
    char *settings = join_settings(from->settings, more);
    start.settings = settings;
    err = engine_spawn(&start, "replay", &r->child, &r->shared);
    if (err) {
        status = error_complain(err, CHANNEL_EXIT_OURS);
    } else {
        r->signals = watch_signals();
        run(r);
        close(r->signals);
        status = report(r);
    }
    free(settings);
    free(start.engine);
    return status;
}

static struct error *prepare(struct replay *r, bool quiet, struct replay_start *start)
{
    struct reader *first;
    struct error *err = lineage_open(r->rec, r->track, quiet, &r->events);
    if (!err)
        err = recording_open_track(r->rec, lineage_program(r->events), &first);
    if (err)
        return err;
    err = replay_start_init(start, first);
    reader_close(first);
    return err;
}

int replay_track(const struct recording *rec, u32 track, bool quiet, const char *settings)
{
    struct replay r = {.rec = rec, .track = track, .shared = -1, .signals = -1};
    struct replay_start start = {0};
    struct error *err = prepare(&r, quiet, &start);
    int status = 0; /* of a track without events: there was nothing to reproduce */
    if (err)
        status = error_complain(error_within(err, "%s", rec->path), 1);
    else if (start.path)
        status = start_and_run(&r, &start, settings);
    if (!err)
        replay_start_deinit(&start);
    lineage_close(r.events);
    return status;
}
