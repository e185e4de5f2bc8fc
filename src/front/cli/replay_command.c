/* ebb replay --verify and --run: replays runs and tells whether they agree with the recording.
 *
 * The verifier does the work (verifier/verifier.h); this file reads options and prints the outcome
 * of each track. A single track prints only problems. With all tracks, each has a line on stdout,
 * and problems go to stderr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/types.h"
#include "front/cli/cli.h"
#include "log/channel.h"
#include "log/recording.h"
#include "log/track_choice.h"
#include "verifier/verifier.h"

static const char *extra = ""; /* settings of the command line */

/* The outcome of a track */

/* Describes a bound of an interval; `room` has 64 bytes. */
static const char *bound_text(char *room, u64 tick, u64 pc)
{
    if (tick == 0 || tick == ~0ull)
        return tick ? "the end" : "the beginning";
    snprintf(room, 64, "the snapshot at %llu:0x%llx", (unsigned long long)tick,
             (unsigned long long)pc);
    return room;
}

static int complain_of_interval(const struct verifier_outcome *o, int status)
{
    char from[64], to[64];
    if (!o->has_interval)
        return status;
    if (o->result == VERIFIER_REPRODUCED)
        return complain(o->in_recording ? CHANNEL_EXIT_DIVERGED : status,
                        "track %u: a snapshot%s is wrong, %s or %s: %s", o->track,
                        o->in_recording ? " of the recording" : "",
                        bound_text(from, o->from_tick, o->from_pc),
                        bound_text(to, o->to_tick, o->to_pc), o->in_interval);
    return complain(status, "  interval: from %s to %s",
                    bound_text(from, o->from_tick, o->from_pc),
                    bound_text(to, o->to_tick, o->to_pc));
}

static int complain_of_divergence(const struct verifier_outcome *o)
{
    complain(0, "track %u: the replay differs at %llu:0x%llx, thread %u, after %llu events",
             o->track, (unsigned long long)o->tick, (unsigned long long)o->pc, o->thread,
             (unsigned long long)o->events);
    complain(0, "  recorded: %s", o->recorded);
    return complain(CHANNEL_EXIT_DIVERGED, "  happened: %s", o->happened);
}

static int complain_of_silence(const struct verifier_outcome *o)
{
    if (WIFSIGNALED(o->wait_status))
        return complain(CHANNEL_EXIT_OURS, "track %u: the replay died by signal %d (%s)", o->track,
                        WTERMSIG(o->wait_status), strsignal(WTERMSIG(o->wait_status)));
    return complain(CHANNEL_EXIT_OURS, "track %u: the replay ended with status %d and no verdict",
                    o->track, WEXITSTATUS(o->wait_status));
}

/* Prints the problem and returns the exit status for it. */
static int complain_of_outcome(const struct verifier_outcome *o)
{
    switch (o->result) {
    case VERIFIER_REPRODUCED:
        return 0;
    case VERIFIER_DIVERGED:
        return complain_of_divergence(o);
    case VERIFIER_NOT_REACHED:
        return complain(CHANNEL_EXIT_DIVERGED,
                        "track %u: not reached, since the replay of track %u, which it comes from, "
                        "differs before that", o->track, o->ancestor);
    case VERIFIER_UNABLE:
        return complain(1, "track %u cannot be replayed: %s", o->track, o->happened);
    case VERIFIER_UNREADABLE:
        return complain(1, "%s: %s", o->rec->path, error_text(o->err));
    case VERIFIER_FAILED:
        return complain(CHANNEL_EXIT_OURS, "%s", error_text(o->err));
    case VERIFIER_SILENT:
        return complain_of_silence(o);
    }
    return CHANNEL_EXIT_OURS;
}

/* One track */

static void say_one(void *context, const struct verifier_outcome *o)
{
    *(int *)context = complain_of_interval(o, complain_of_outcome(o));
}

static int replay_one(const struct recording *rec, u32 track)
{
    int status = 0;
    verifier_replay_track(rec, track, extra, say_one, &status);
    return status;
}

/* All tracks */

struct tally {
    size_t failed;
    int status;
};

/* Returns the worse of two statuses: a divergence is the worst, success the best. */
static int worse(int a, int b)
{
    if (a == CHANNEL_EXIT_DIVERGED || b == CHANNEL_EXIT_DIVERGED)
        return CHANNEL_EXIT_DIVERGED;
    return a > b ? a : b;
}

static void say_each(void *context, const struct verifier_outcome *o)
{
    struct tally *tally = context;
    bool good = o->result == VERIFIER_REPRODUCED;
    printf("track %u: %s\n", o->track, good ? "reproduced" : "not reproduced");
    fflush(stdout);
    if (o->said)
        fputs(o->said, stderr);
    tally->status = worse(tally->status, complain_of_interval(o, complain_of_outcome(o)));
    tally->failed += !good;
}

static int replay_all(const struct recording *rec, const u32 *tracks, size_t count)
{
    struct tally tally = {0};
    verifier_replay_all(rec, tracks, count, extra, say_each, &tally);
    if (tally.failed)
        printf("%zu of %zu tracks not reproduced\n", tally.failed, count);
    else
        printf("%zu track%s, all reproduced\n", count, count == 1 ? "" : "s");
    int unwritten = complain_if_unwritten();
    return tally.status ? tally.status : unwritten;
}

static int replay_chosen(const struct track_choice *choice)
{
    struct recording *rec;
    struct error *err = recording_open(choice->recording, &rec);
    if (err)
        return error_complain(err, 1);
    u32 *tracks;
    size_t count;
    int status;
    err = track_choose(choice, rec, &tracks, &count);
    if (err) {
        status = error_complain(err, 1);
    } else {
        status = choice->all ? replay_all(rec, tracks, count) : replay_one(rec, tracks[0]);
        free(tracks);
    }
    recording_destroy(rec);
    return status;
}

/* The command line is read by the prompt (front/debugger/replay_prompt.c), which passes --verify
 * and --run to this file. */

int cli_replay(const struct track_choice *choice, const char *settings)
{
    if (choice->all && choice->one)
        return complain(CHANNEL_EXIT_USAGE, "replay takes --track or --all, not both");
    extra = settings;
    return replay_chosen(choice);
}
