/* Searching: which hit of a plan is the nth after or before a moment. */
#ifndef SESSION_SEARCH_INTERNAL_H
#define SESSION_SEARCH_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "session/breakpoints_internal.h"
#include "session/timeline_internal.h"

struct session;

/* What a counting pass found in [from, to): kept with the version of the breakpoint set. */
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
/* Forgets what was counted for another version. */
void counts_use(struct counts *c, u64 version);
/* A run from one moment to the other, made for another purpose, met no hit. */
void counts_note_empty(struct counts *c, struct moment from, struct moment to);

struct found {
    bool any;
    u32 kept;
    struct plan_hit hits[PLAN_HITS_KEPT]; /* all of one moment; the first is the one */
};

struct search {
    struct pass_plan plan;
    struct counts *counts; /* of this plan */
    u64 nth;
    struct moment from;
    struct moment bound; /* backward: no hit before it is wanted; forward: none at it, or after */
    u64 expected;        /* backward: about so many ticks away; 0: not known */
    bool here_too;       /* search_ahead: what lies here is after here */
};

/* The nth hit strictly before q->from.  The present stays where it is. */
struct error *search_backward(struct session *s, struct search *q, struct found *ret);

/* The nth hit after here.  The present runs there, or to the bound, or to where it was
 * interrupted. */
struct error *search_forward(struct session *s, struct search *q, struct found *ret);

/* The same with a copy, which is gone afterwards: nothing moves.  *ret_at is where it stood at
 * the end. */
struct error *search_ahead(struct session *s, struct search *q, struct found *ret,
                           struct moment *ret_at);

/* --- parts --------------------------------------------------------------------------------
 *
 * Programs only run forward, so whatever is looked for before a moment is looked for in parts, from
 * the newest to the oldest.  This is the one rule for how far back a part begins:
 *
 *   - at a checkpoint, strictly before the part's end;
 *   - as far back as everything that was searched before it: whatever is looked for, no more than
 *     about twice the way to it is run, in a few parts.  Each costs a copy of a process;
 *   - but no farther than the searcher expects to go, if it expects anything: plain replay is
 *     quicker than what looks at every instruction.  If that was not enough, it expects more.
 */
struct search_parts {
    struct timeline *timeline;
    struct moment bound;    /* nothing before it is wanted */
    struct moment from, to; /* the part that is next */
    u64 done;               /* ticks */
    u64 expected;           /* ticks; 0: not known */
};

/* The parts before a moment. */
struct search_parts search_parts_before(struct session *s, struct moment at, struct moment bound,
                                        u64 expected);
/* False: the bound is reached. */
bool search_parts_next(struct search_parts *p);
/* All from that moment on has been searched: so many were found there, so many are still wanted. */
void search_parts_pass(struct search_parts *p, struct moment from, u64 found, u64 wanted);

/* Counts the part in pieces.  `seen` hears of each, the oldest first. */
struct error *search_count(struct session *s, struct pass_plan *plan,
                           const struct search_parts *part, timeline_seen *seen, void *context);

#endif
