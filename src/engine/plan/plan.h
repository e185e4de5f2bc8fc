/* The plan of the pass that is under way: what to look for, and what was found.
 *
 * controlled.c takes a plan from the session and runs the guest; wherever something happens that a
 * site may be about, plan_*() is told.  A hit that ends the pass makes plan.due true: the
 * dispatcher goes to the next boundary, and there controlled.c makes the engine stand.
 *
 * What lies at a moment, in this order:
 *
 *   arrivals      what has just happened and led here: a call returned, another thread runs
 *   from outside  a signal is about to be delivered; then the instruction is not executed at this
 *                 moment
 *   instruction   is about to be executed: code sites, steps; and calls and execs, if it is
 *                 `syscall`
 *   fault         the instruction was tried, and raised a signal
 *
 * A pass that stands at its limit has met nothing of what lies there.  One that stands at a hit has
 * met everything there up to the instruction, so that the next, with PLAN_PAST_HERE, misses
 * nothing.
 *
 * Invariants
 *   (1) Without a plan, or with one without sites, nothing is compiled into translations, and they
 *       are those of a plain replay.
 *   (2) A hit is judged after what came from outside at its moment (signals, switches) has
 *       happened.
 *   (3) Nothing is judged twice at one moment, however often the engine comes by: each hook
 *       remembers the last.
 */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "log/control.h"

struct call;

struct plan_pass {
    bool runs;          /* a pass is under way */
    bool point_due;     /* it is the nth point */
    bool due;           /* the hit to stop at has happened: stand at the next boundary */
    u32 wants;          /* bits: the kinds of sites that it has */
    u64 limit_tick, limit_pc;
    u64 count;
    u64 aside;          /* PLAN_ASIDE: not in count */
    u32 condition_failed;
    u32 kept;           /* of hits[], which plan_end() fills */
    struct plan_hit hits[PLAN_HITS_KEPT]; /* newest first */
};
extern struct plan_pass plan_pass;

static inline bool plan_wants(enum plan_site_kind kind)
{
    return plan_pass.wants >> kind & 1;
}

/* Begins a pass; the bytes are copied.  NULL, or one sentence why it cannot be. */
const char *plan_begin(const void *bytes, u64 size);
/* The pass is over: translations are plain again where that costs nothing later. */
void plan_end(void);

/* --- hooks: true if the pass is to stand here ---------------------------------------------- */

/* The instruction at cpu->rip is about to be executed. */
bool plan_at_instruction(void);
/* The same, if translated code has seen to the point that may be there. */
bool plan_at_counted_instruction(void);
/* Has the instruction at cpu->rip been judged at this moment?  And: it has, since it was being
 * executed. */
bool plan_judged_here(void);
void plan_note_executed(void);
/* The same if it is `syscall`, and has come to the engine; rip is at it. */
bool plan_at_call(u64 number, bool execs);
/* A call has come to the engine, and rip is after it. If true, the call must not be made now, and
 * rip is at the call again. */
bool plan_before_call(const struct call *call);
/* It has been made: its result is the guest's. */
void plan_after_call(const struct call *call, i64 result);
/* A signal is about to be delivered. */
bool plan_at_signal(u32 number);

/* This has happened, and led to the moment that the engine will next be at the boundary of. */
void plan_arrive(enum plan_site_kind kind, u64 number);
/* Called at each boundary: another thread may be running. */
void plan_note_thread(void);
/* At a boundary, its limit not reached: arrivals are judged. */
bool plan_at_boundary(void);

/* Must the running thread go by single instructions? */
bool plan_steps(void);

#endif
