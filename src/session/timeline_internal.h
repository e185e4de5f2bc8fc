/* The timeline: which checkpoints are kept, and how to get a process that stands somewhere. */
#ifndef SESSION_TIMELINE_INTERNAL_H
#define SESSION_TIMELINE_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "session/replayer_internal.h"
#include "session/session.h"
#include "session/snapshots_internal.h"

struct checkpoint {
    struct replayer *process;
    struct moment at;
    u64 pages; /* that only it holds, about */
};

struct timeline {
    struct replayer_family *family;
    struct checkpoint *list; /* by moment; the first is the start */
    size_t count, room;
    size_t most_processes;
    u64 most_pages;
    bool memory_is_set; /* by the user */
    struct moment here;     /* they are to be dense here */
    struct moment retained; /* the moment before the last movement: its checkpoint stays */
    struct moment last;     /* of the track */
    /* What things cost here, measured. */
    double ticks_per_second, fork_seconds;
    double spacing; /* seconds between checkpoints on a long run */
    bool spacing_is_set; /* by the user: what they cost does not change it */
    double reach;   /* seconds around the present in which they are kept; 0: everywhere */
    u64 measured;   /* ticks */
    struct replayer *origin; /* stands at the program's first instruction; often list[0]'s */
    struct snapshots *snapshots; /* what other sessions have left */
    struct replayer *filler; /* of timeline_refill */
    u64 filler_goal, filler_end;
    struct session_progress pass; /* the one that is under way */
    void (*progress)(void *context, const struct session_progress *p);
    void *context;
};

struct error *timeline_init(struct timeline *t, struct replayer_family *family,
                            const struct session_options *options);
void timeline_deinit(struct timeline *t);

void timeline_keeping(const struct timeline *t, struct session_keeping *ret);
void timeline_keep_by(struct timeline *t, const struct session_keeping *k);

/* The last checkpoint at or before the moment; there always is one. */
struct checkpoint *timeline_before(const struct timeline *t, struct moment at);

/* Takes a process that stands, as a checkpoint.  Of two at one moment the newer stays: it has
 * translated more. */
void timeline_keep(struct timeline *t, struct replayer *r);

/* The same if it is worth it: if it would take a while to come here from the one before.  Else it
 * is gone. */
void timeline_keep_or_drop(struct timeline *t, struct replayer *r);

/* Leaves a copy of `r` as a checkpoint. It is not an error if none can be made. */
struct error *timeline_leave(struct timeline *t, struct replayer *r);

/* The same, if it takes long to come here from the previous checkpoint, and movements will. */
struct error *timeline_leave_if_far(struct timeline *t, struct replayer *r);

/* If a snapshot of an earlier session lies nearer before the moment than any checkpoint, and a
 * replay to it would take a while, the snapshot becomes a checkpoint. */
void timeline_approach(struct timeline *t, struct moment to);

/* Keeps snapshots of what a long run from `from` to the end has passed, for later sessions.  That
 * takes a small part of the time that the run took. */
void timeline_keep_snapshots(struct timeline *t, struct moment from);

/* How long plain replay takes for so many ticks, about. */
double timeline_seconds(const struct timeline *t, u64 ticks);

/* A process that stands at the moment, from the nearest checkpoint; on a long way it leaves others,
 * denser towards the goal. If the moment lies after the end, the process stands at the end. NULL
 * and no error: it was interrupted. */
struct error *timeline_reach(struct timeline *t, struct moment to, struct replayer **ret);

/* Runs `r` under the plan to the limit, or a stop, in pieces that end with a checkpoint each: at
 * least so many of them, and of bounded length.  `seen` is called for each, with where it began
 * and how it ended.  The plan's limit and flags are changed. */
typedef void timeline_seen(void *context, struct moment from,
                           const struct control_stopped *stopped);
struct timeline_pass {
    struct plan *plan;
    size_t size;
    struct moment limit;
    u64 pieces;
    bool moves; /* the present moves along */
    timeline_seen *seen; /* or NULL */
    void *context;
};
struct error *timeline_run(struct timeline *t, struct replayer *r,
                           const struct timeline_pass *pass);

/* One slice of work towards denser checkpoints before t->here; false: nothing is left to do. */
bool timeline_refill(struct timeline *t);
void timeline_refill_stop(struct timeline *t);

#endif
