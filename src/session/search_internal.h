/* Searching: finds the nth hit of a plan after or before a moment. */
#ifndef SESSION_SEARCH_INTERNAL_H
#define SESSION_SEARCH_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "session/breakpoints_internal.h"
#include "session/timeline_internal.h"

struct session;

/* The result of a counting pass over [from, to), kept with the version of the breakpoint set. */
struct interval {
    struct moment from, to;
    u64 count;
    u32 kept;
    struct plan_hit hits[PLAN_HITS_KEPT]; /* the last ones, newest first */
};

struct counts {
    u64 version;
    struct interval *list;
    size_t count, room;
};

void counts_deinit(struct counts *c);
/* Drops what was counted for another version. */
void counts_use(struct counts *c, u64 version);
/* Notes that a run from one moment to the other, made for another purpose, met no hit. */
void counts_note_empty(struct counts *c, struct moment from, struct moment to);

struct found {
    bool any;
    u32 kept;
    struct plan_hit hits[PLAN_HITS_KEPT]; /* all at one moment; the first is the one searched for */
};

struct search {
    struct pass_plan plan;
    struct counts *counts; /* the counts that belong to this plan */
    u64 nth;
    struct moment from;
    struct moment bound; /* backward: ignore hits before it; forward: ignore hits at it or after */
    u64 expected;        /* backward: the expected distance in ticks; 0: not known */
    bool here_too;       /* search_ahead: hits at the current moment count as after it */
};

/* Finds the nth hit strictly before q->from. The present process does not move. */
struct error *search_backward(struct session *s, struct search *q, struct found *ret);

/* Finds the nth hit after here. The present process runs there, or to the bound, or to where it was
 * interrupted. */
struct error *search_forward(struct session *s, struct search *q, struct found *ret);

/* Like search_forward, but with a copy that is dropped afterwards: the session does not move.
 * *ret_at is where the copy stood at the end. */
struct error *search_ahead(struct session *s, struct search *q, struct found *ret,
                           struct moment *ret_at);

/* --- parts --------------------------------------------------------------------------------
 *
 * Programs only run forward, so a search before a moment goes through parts of the track, from the
 * newest to the oldest. This is the rule for how far back a part begins:
 *
 *   - at a checkpoint, strictly before the part's end;
 *   - as far back again as all parts before it together. So a search runs at most about twice the
 *     distance to its hit, in a few parts; each part costs a copy of a process;
 *   - no farther than the caller's expected distance, if it gave one, since plain replay is
 *     faster than a pass that looks at every instruction. If that was not enough, the expected
 *     distance grows.
 */
struct search_parts {
    struct timeline *timeline;
    struct moment bound;    /* hits before it are not wanted */
    struct moment from, to; /* the current part */
    u64 done;               /* ticks */
    u64 expected;           /* distance in ticks; 0: not known */
};

/* Returns the parts before a moment. */
struct search_parts search_parts_before(struct session *s, struct moment at, struct moment bound,
                                        u64 expected);
/* Goes to the next part. False: the bound is reached. */
bool search_parts_next(struct search_parts *p);
/* Reports that everything since `from` has been searched: `found` hits were there, `wanted` are
 * still missing. */
void search_parts_pass(struct search_parts *p, struct moment from, u64 found, u64 wanted);

/* Counts the part in pieces. `seen` is called for each, oldest first. */
struct error *search_count(struct session *s, struct pass_plan *plan,
                           const struct search_parts *part, timeline_seen *seen, void *context);

#endif
