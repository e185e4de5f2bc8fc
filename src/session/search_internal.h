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
    struct moment bound; /* backward: no hit before it is wanted; forward: none at it, or after
                          * it */
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

/* Counts the interval that ends at `upper`, or its part after the bound, in pieces, from the last
 * checkpoint before it. `seen` is called for each piece, the oldest first. */
struct error *search_count(struct session *s, struct pass_plan *plan, struct moment bound,
                           struct moment upper, timeline_seen *seen, void *context);

/* Does the stretch from the bound to `upper` hold anything?  A bound without a pc is the first
 * instruction of its tick. */
bool search_is_behind(struct moment bound, struct moment upper);

#endif
