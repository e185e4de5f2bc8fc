/* The verifier: replays tracks of a recording and tells whether each is reproduced.
 *
 * A replay is compared with the recording at every event: the registers at each call, the order of
 * threads, the moments of signals, and memory where the recording has hashes of it. A track counts
 * as reproduced only if the verdict covers all of it and all events were read without an error.
 *
 * A track with snapshots (log/snapshot_store.h) is divided there, and its parts are replayed in
 * parallel: each begins at one snapshot and ends by comparing everything with the next. If a part
 * is not reproduced, the track is replayed as a whole, which gives the verdict; the part is
 * reported as the interval in which the difference arose.
 *
 * The verifier prints nothing. Each track has one outcome, for which a function of the client is
 * called; what an outcome points to is valid during that call.
 */
#ifndef VERIFIER_H
#define VERIFIER_H

#include <stddef.h>

#include "base/error.h"
#include "base/types.h"
#include "log/recording.h"

enum verifier_result {
    VERIFIER_REPRODUCED,
    VERIFIER_DIVERGED,    /* the replay differs from the recording */
    /* not replayed: the replay of `ancestor` differs before this track begins */
    VERIFIER_NOT_REACHED,
    VERIFIER_UNABLE,      /* this engine or machine cannot replay it: `happened` says why */
    VERIFIER_UNREADABLE,  /* `err`: the recording is damaged or cut, or a file it needs is gone */
    VERIFIER_FAILED, /* `err`: a failure that is not due to the recording: no engine, no process */
    VERIFIER_SILENT,      /* the engine ended without a verdict: `wait_status` */
};

struct verifier_outcome {
    const struct recording *rec;
    u32 track;
    enum verifier_result result;
    u64 tick, pc, events;            /* DIVERGED: where, and how many events were met before */
    u32 thread;
    const char *recorded, *happened; /* DIVERGED: a line each; UNABLE: `happened` */
    u32 ancestor;                    /* NOT_REACHED */
    const struct error *err;         /* UNREADABLE, FAILED */
    int wait_status;                 /* SILENT */
    bool has_interval; /* a part was not reproduced: the one between these snapshots, */
    u64 from_tick, from_pc, to_tick, to_pc; /* or 0: the beginning, ~0: the end of the track */
    const char *in_interval;         /* what was wrong there, a line */
    bool in_recording;               /* it differs, and one of the two is part of the recording */
    const char *said;                /* what a hidden engine wrote to stderr, or NULL */
};

typedef void verifier_told(void *context, const struct verifier_outcome *outcome);

/* Replays one track and shows the program's output. `settings` are added to those of the recording
 * ("": none). If has_interval is set although the whole track was reproduced, one of the two
 * snapshots was wrong; those in the cache are removed. */
void verifier_replay_track(const struct recording *rec, u32 track, const char *settings,
                           verifier_told *told, void *context);

/* Replays several tracks in parallel, without output. `tracks` are ascending. Outcomes are reported
 * in that order, each as soon as it and those before it are known. */
void verifier_replay_all(const struct recording *rec, const u32 *tracks, size_t count,
                         const char *settings, verifier_told *told, void *context);

#endif
