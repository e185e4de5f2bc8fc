/* The timeline: which checkpoints are kept, and how to get a process that stands at a given
 * moment. */
#ifndef SESSION_TIMELINE_INTERNAL_H
#define SESSION_TIMELINE_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "session/quiet_internal.h"
#include "session/replayer_internal.h"
#include "session/session.h"
#include "session/snapshots_internal.h"

struct checkpoint {
    struct replayer *process;
    struct moment at;
    u64 pages; /* approximate number of pages that only this checkpoint has */
};

struct timeline {
    struct replayer_family *family;
    struct checkpoint *list; /* sorted by moment; the first is the start */
    size_t count, room;
    size_t most_processes;
    u64 most_pages;
    bool memory_is_set; /* the user has set the limit */
    struct moment here;     /* the current moment, near which checkpoints are dense */
    struct moment retained; /* the moment before the last movement: its checkpoint is kept */
    struct moment last;     /* the last moment of the track */
    /* Measured costs. */
    double ticks_per_second, fork_seconds;
    double spacing; /* seconds of replay between checkpoints of a long run */
    bool spacing_is_set; /* the user has set the spacing: costs do not change it */
    double reach;   /* checkpoints are kept within this many seconds of replay; 0: everywhere */
    u64 measured;   /* ticks */
    /* stands at the program's first instruction; often the same process as list[0]'s */
    struct replayer *origin;
    struct snapshots *snapshots; /* those that recording or other sessions have left */
    struct quiet *quiet;         /* where passes need not run */
    struct replayer *filler; /* of timeline_refill */
    u64 filler_goal, filler_end;
    struct session_progress pass; /* progress of the current pass */
    void (*progress)(void *context, const struct session_progress *p);
    void *context;
};

struct error *timeline_init(struct timeline *t, struct replayer_family *family,
                            const struct session_options *options);
void timeline_deinit(struct timeline *t);

void timeline_keeping(const struct timeline *t, struct session_keeping *ret);
void timeline_keep_by(struct timeline *t, const struct session_keeping *k);

/* Returns the last checkpoint at or before the moment; there always is one. */
struct checkpoint *timeline_before(const struct timeline *t, struct moment at);

/* Makes a process that stands a checkpoint. If there is one at the same moment, the newer replaces
 * it, since it has translated more code. */
void timeline_keep(struct timeline *t, struct replayer *r);

/* The same if it is worthwhile, because coming here from the previous checkpoint takes long.
 * Otherwise destroys the process. */
void timeline_keep_or_drop(struct timeline *t, struct replayer *r);

/* Leaves a copy of `r` as a checkpoint. It is not an error if none can be made. */
struct error *timeline_leave(struct timeline *t, struct replayer *r);

/* The same, but only if coming here from the previous checkpoint takes long and movements are
 * likely to do so. */
struct error *timeline_leave_if_far(struct timeline *t, struct replayer *r);

/* If a snapshot of an earlier session lies nearer before the moment than any checkpoint, and a
 * replay to it would take a while, the snapshot becomes a checkpoint. */
void timeline_approach(struct timeline *t, struct moment to);

/* Keeps snapshots of a long run from `from` to the end, for later sessions. This takes a small part
 * of the time that the run took. */
void timeline_keep_snapshots(struct timeline *t, struct moment from);

/* Estimates how long plain replay takes for this many ticks. */
double timeline_seconds(const struct timeline *t, u64 ticks);

/* Returns a process that stands at the moment, run from the nearest checkpoint. A long run leaves
 * checkpoints, denser towards the target. If the moment lies after the end, the process stands at
 * the end. NULL and no error: it was interrupted. */
struct error *timeline_reach(struct timeline *t, struct moment to, struct replayer **ret);

/* Runs `r` under the plan to the limit or to a stop, in pieces of bounded length that each end with
 * a checkpoint. There are at least `pieces` of them. `seen` is called for each piece, with where it
 * began and how it ended. Quiet stretches are passed over: each is a piece without hits. The plan's
 * limit and flags are changed. */
typedef void timeline_seen(void *context, struct moment from,
                           const struct control_stopped *stopped);
struct timeline_pass {
    struct plan *plan;
    size_t size;
    struct moment limit;
    u64 pieces;
    bool moves; /* `r` becomes the present process, so t->here moves with it */
    timeline_seen *seen; /* or NULL */
    void *context;
};
struct error *timeline_run(struct timeline *t, struct replayer *r,
                           const struct timeline_pass *pass);

/* For timeline_run(): if `r` stands in a quiet stretch, brings it to the end of that. Otherwise
 * *end becomes the beginning of the next one, if that is earlier. */
struct error *timeline_pass_quiet(struct timeline *t, struct replayer *r,
                                  const struct timeline_pass *pass, struct moment *end,
                                  bool *ret_passed);

/* Finds the last stretch before `to`, and not before `from`, that a pass under this plan would pass
 * over. */
bool timeline_quiet_before(struct timeline *t, const struct plan *plan, struct moment from,
                           struct moment to, struct moment *ret_from, struct moment *ret_to);

/* Finds a checkpoint or a snapshot near the middle between two moments. False: there is none. */
bool timeline_middle(const struct timeline *t, struct moment from, struct moment to,
                     struct moment *ret);

/* Runs two processes under the same plan at the same time, which counts: `far` to where `near`
 * stands, and `near` to the limit. As timeline_run() otherwise: `seen` is called for all pieces,
 * oldest first. */
struct error *timeline_run_both(struct timeline *t, struct replayer *far, struct replayer *near,
                                const struct timeline_pass *pass);

/* Does a slice of work towards denser checkpoints before t->here; false: nothing is left to do. */
bool timeline_refill(struct timeline *t);
void timeline_refill_stop(struct timeline *t);

#endif
