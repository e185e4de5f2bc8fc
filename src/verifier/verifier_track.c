/* Replays one track.
 *
 * ebb starts an engine for the track, serves its line (verifier_line.c) and waits for its end. The
 * engine prints the program's output.
 */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log/engine_start.h"
#include "verifier/verifier.h"
#include "verifier/verifier_line_internal.h"
#include "verifier/verifier_team_internal.h"

struct replay {
    struct verifier_line *line;
    pid_t child;
    int shared, signals;
    bool reaped;
};

static void verifier_track_hear_shared(struct replay *r)
{
    union packet packet;
    int fd;
    enum packet_result result = packet_receive(r->shared, &packet, &fd);
    if (result == PACKET_CLOSED) {
        close(r->shared);
        r->shared = -1;
    } else if (result == PACKET_GOT && packet.message.kind == CHANNEL_HELLO && fd >= 0) {
        verifier_line_welcome(r->line, &packet.hello, fd, 0);
    } else if (fd >= 0) {
        close(fd);
    }
}

static void verifier_track_hear_signals(struct replay *r)
{
    struct signalfd_siginfo info;
    if (read(r->signals, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo != SIGCHLD)
        kill(r->child, (int)info.ssi_signo);
    else if (waitpid(r->child, &r->line->wait_status, WNOHANG) == r->child)
        r->reaped = true;
}

static void verifier_track_turn(struct replay *r)
{
    union packet packet;
    struct pollfd polls[] = {
        {.fd = r->signals, .events = POLLIN},
        {.fd = r->shared, .events = POLLIN},
        {.fd = verifier_line_socket(r->line), .events = POLLIN},
    };
    if (poll(polls, countof(polls), -1) <= 0)
        return;
    if (polls[2].revents & POLLIN)
        verifier_line_hear(r->line, &packet);
    else if (polls[2].revents) /* closed: only the end of the process is still to be waited for */
        r->reaped = waitpid(r->child, &r->line->wait_status, 0) == r->child;
    if (polls[1].revents)
        verifier_track_hear_shared(r);
    if (polls[0].revents && !r->reaped)
        verifier_track_hear_signals(r);
}

static void verifier_track_run(struct replay *r)
{
    while (!r->reaped && !r->line->err)
        verifier_track_turn(r);
    if (!r->reaped) {
        kill(r->child, SIGKILL);
        waitpid(r->child, &r->line->wait_status, 0);
    }
    verifier_line_close(r->line);
    if (r->shared >= 0)
        close(r->shared);
}

static int watch_signals(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void start_and_run(struct replay *r, const struct engine_start *start)
{
    struct error *err = engine_spawn(start, "replay", &r->child, &r->shared);
    if (err) {
        verifier_line_fail(r->line, err, true);
        return;
    }
    r->signals = watch_signals();
    verifier_track_run(r);
    close(r->signals);
}

void verifier_replay_track(const struct recording *rec, u32 track, const char *settings,
                           verifier_told *told, void *context)
{
    if (verifier_replay_parts(rec, track, settings, told, context))
        return;
    struct replay r = {.line = verifier_line_create(rec, track), .shared = -1, .signals = -1};
    struct verifier_engine engine;
    if (verifier_line_prepare(r.line, false, settings, &engine))
        start_and_run(&r, &engine.start);
    verifier_engine_deinit(&engine);
    struct verifier_outcome outcome;
    verifier_line_outcome(r.line, &outcome);
    told(context, &outcome);
    verifier_line_destroy(r.line);
}
