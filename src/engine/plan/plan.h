/* The plan of the current pass: what to look for, and what was found.
 *
 * controlled.c takes a plan from the session and runs the guest. Wherever something happens that
 * may match a site, a plan_*() function is called. A hit that ends the pass sets `due`: the
 * dispatcher goes to the next boundary, and there controlled.c stops the engine.
 *
 * The order of events at a moment:
 *
 *   arrivals      what has just happened and led here: a call returned, another thread runs
 *   from outside  a signal is about to be delivered; then the instruction is not executed at this
 *                 moment
 *   instruction   is about to be executed: code sites, steps; and calls and execs, if it is
 *                 `syscall`
 *   fault         the instruction was tried, and raised a signal
 *
 * A pass that stops at its limit has met none of the events there. One that stops at a hit has met
 * everything there up to the instruction, so that the next pass, with PLAN_PAST_HERE, misses
 * nothing.
 *
 * Invariants
 *   (1) Without a plan, or with one without sites, nothing is compiled into translations, and they
 *       are those of a plain replay.
 *   (2) A hit is judged after what came from outside at its moment (signals, switches) has
 *       happened.
 *   (3) Nothing is judged twice at one moment, however often the engine gets there: each hook
 *       remembers the last moment.
 */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "log/control.h"

struct call;

struct plan_pass {
    bool runs;          /* a pass is under way */
    bool point_due;     /* the nth point was met */
    bool due;           /* the hit to stop at has happened: stop at the next boundary */
    u32 wants;          /* bits: the kinds of sites that it has */
    u64 limit_tick, limit_pc;
    u64 count;
    u64 aside;          /* number of PLAN_ASIDE hits, not in count */
    u32 condition_failed;
    u32 kept;           /* number of entries in hits[], which plan_end() fills */
    struct plan_hit hits[PLAN_HITS_KEPT]; /* newest first */
};
extern struct plan_pass plan_pass;

static inline bool plan_wants(enum plan_site_kind kind)
{
    return plan_pass.wants >> kind & 1;
}

/* Begins a pass; the bytes are copied. Returns NULL, or one sentence why it is not possible. */
const char *plan_begin(const void *bytes, u64 size);
/* Ends the pass: translations become plain again where that is cheap. */
void plan_end(void);

/* --- hooks: true if the pass is to stand here ---------------------------------------------- */

/* The instruction at cpu->rip is about to be executed. */
bool plan_at_instruction(void);
/* The same, if translated code has already counted a point there. */
bool plan_at_counted_instruction(void);
/* plan_judged_here: true if the instruction at cpu->rip was already judged at this moment. The
 * other function notes that it was, since it was being executed. */
bool plan_judged_here(void);
void plan_note_executed(void);
/* The same for a `syscall` that has entered the engine; rip is at it. */
bool plan_at_call(u64 number, bool execs);
/* A call has entered the engine, and rip is after it. If true, the call must not be made now, and
 * rip is at the call again. */
bool plan_before_call(const struct call *call);
/* The call was made: the guest has its result. */
void plan_after_call(const struct call *call, i64 result);
/* A signal is about to be delivered. */
bool plan_at_signal(u32 number);

/* This event has happened, and led to the moment of the next boundary. */
void plan_arrive(enum plan_site_kind kind, u64 number);
/* Called at each boundary: another thread may be running. */
void plan_note_thread(void);
/* At a boundary before the limit: judges arrivals. */
bool plan_at_boundary(void);

/* True if the running thread must go by single instructions. */
bool plan_steps(void);

#endif
