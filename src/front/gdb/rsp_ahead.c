/* Steps of one thread while all others are stopped, and the events that must be reported later.
 *
 * To step over a breakpoint that does not stop the user (one of another thread, or met during a
 * `next`), a client removes it, steps only the thread that met it, inserts it again, and resumes
 * all threads. In a recording no thread can be held: between two instructions of one thread other
 * threads execute theirs, with breakpoints, signals and stores to watched memory. But during a step
 * of one thread no event of another may be reported, and none may have moved when the client looks
 * at it next (gdb compares).
 *
 *     from ... events of other threads are reported later ... at
 *     all threads are here                       where the step ended
 *
 * So the session stands where the step ended, registers of other threads are shown as they were
 * where it began, and the next movement of all threads in the same direction begins there again. It
 * does not stop at the end of the step, which the client has already seen.
 *
 * If no other thread ran in between, as nearly always, none of this is needed.
 *
 * A step with scheduler locking is different: the user wants to see the moment that it leads to.
 * gdb requests all signals (an empty QPassSignals) before a step over a breakpoint, and only then.
 *
 * Invariants
 *   (1) While r->ahead.shown, the session stands at the moment of one of the steps.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"

static struct moment ahead_here(const struct rsp *r)
{
    struct session_place place;
    session_place(r->session, &place);
    return place.at;
}

static bool is_at(const struct rsp *r, struct moment at)
{
    return moment_compare(ahead_here(r), at) == 0;
}

static struct rsp_ahead_step *ahead_find(struct rsp_ahead *a, u32 thread)
{
    for (u32 i = 0; i < a->count; i++)
        if (a->steps[i].thread == thread)
            return &a->steps[i];
    return NULL;
}

/* The moment at which the client sees a thread. */
static struct moment ahead_moment(struct rsp_ahead *a, u32 thread)
{
    const struct rsp_ahead_step *s = ahead_find(a, thread);
    return s ? s->at : a->from;
}

static bool stands_at_a_step(const struct rsp *r)
{
    for (u32 i = 0; i < r->ahead.count; i++)
        if (is_at(r, r->ahead.steps[i].at))
            return true;
    return false;
}

static struct error *ahead_go(struct rsp *r, struct moment to)
{
    struct session_stop stop;
    return is_at(r, to) ? NULL : movement_goto(r->session, to, &stop);
}

void rsp_ahead_forget(struct rsp *r)
{
    free(r->ahead.vector);
    r->ahead = (struct rsp_ahead){0};
}

/* --- the step -------------------------------------------------------------------------------- */

struct error *rsp_ahead_begin(struct rsp *r, enum session_direction direction, u32 thread)
{
    struct rsp_ahead *a = &r->ahead;
    bool goes_on = a->count && a->count < RSP_AHEAD_MOST && a->direction == direction &&
                   (a->shown || is_at(r, a->from));
    if (!goes_on)
        rsp_ahead_forget(r);
    if (!a->count) {
        a->direction = direction;
        a->from = ahead_here(r);
    }
    struct error *err = ahead_go(r, ahead_moment(a, thread));
    struct session_place place;
    session_place(r->session, &place);
    a->event = place.event;
    return err;
}

void rsp_ahead_end(struct rsp *r, u32 thread)
{
    struct rsp_ahead *a = &r->ahead;
    struct session_place place;
    session_place(r->session, &place);
    struct rsp_ahead_step *s = ahead_find(a, thread);
    if (!a->count && place.event == a->event) { /* no other thread has run */
        rsp_ahead_forget(r);
        return;
    }
    if (!s) {
        s = &a->steps[a->count++];
        s->thread = thread;
    }
    s->at = place.at;
    a->shown = true;
    invariant(1, stands_at_a_step(r));
}

/* --- afterwards ------------------------------------------------------------------------------ */

struct error *rsp_ahead_rejoin(struct rsp *r, enum session_direction direction)
{
    struct rsp_ahead *a = &r->ahead;
    if (!a->shown || a->direction != direction) {
        rsp_ahead_forget(r);
        return NULL;
    }
    invariant(1, stands_at_a_step(r));
    return ahead_go(r, a->from);
}

static bool is_of_code(const struct rsp *r, const struct session_stop *stop)
{
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints); i++) {
        const struct debug_site *p = debug_sites_find(&r->sites, stop->breakpoints[i]);
        if (p && p->tag != BREAKPOINT_SOFT && p->tag != BREAKPOINT_HARD)
            return false;
    }
    return true;
}

bool rsp_ahead_knows(struct rsp *r, const struct session_stop *stop)
{
    struct session_place place;
    session_place(r->session, &place);
    const struct rsp_ahead_step *s = ahead_find(&r->ahead, place.thread);
    return s && moment_compare(s->at, place.at) == 0 && is_of_code(r, stop) &&
           (stop->why == WHY_BREAKPOINT || stop->why == WHY_STEPPED);
}

static bool is_passed(const struct rsp_ahead *a, struct moment at, struct moment here)
{
    int order = moment_compare(at, here);
    return a->direction == FORWARD ? order <= 0 : order >= 0;
}

/* Steps that were not passed count again if the client makes the next one from here. */
void rsp_ahead_settle(struct rsp *r)
{
    struct rsp_ahead *a = &r->ahead;
    u32 kept = 0;
    struct moment here = ahead_here(r);
    for (u32 i = 0; i < a->count; i++)
        if (!is_passed(a, a->steps[i].at, here))
            a->steps[kept++] = a->steps[i];
    a->count = kept;
    a->from = here;
    a->shown = false;
}

/* --- looking --------------------------------------------------------------------------------- */

/* The registers are copied, since the session's memory for them is reused when it is back. */
static struct error *ahead_read_registers(struct rsp *r, u32 thread, struct control_registers *ret,
                                          const u8 **vector)
{
    struct rsp_ahead *a = &r->ahead;
    const u8 *lent;
    struct error *err = session_registers(r->session, thread, ret, &lent);
    if (err)
        return err;
    free(a->vector);
    a->vector = xalloc(ret->vector_size + 1);
    if (ret->vector_size)
        memcpy(a->vector, lent, ret->vector_size);
    *vector = a->vector;
    return NULL;
}

struct error *rsp_ahead_registers(struct rsp *r, u32 thread, struct control_registers *ret,
                                  const u8 **vector)
{
    struct moment back = ahead_here(r), at = ahead_moment(&r->ahead, thread);
    if (!r->ahead.shown || thread == CONTROL_THREAD_ANY || is_at(r, at))
        return session_registers(r->session, thread, ret, vector);
    struct error *err = ahead_go(r, at);
    if (!err)
        err = ahead_read_registers(r, thread, ret, vector);
    struct error *lost = ahead_go(r, back);
    if (err)
        error_destroy(lost);
    return err ? err : lost;
}

bool rsp_ahead_find_tid(struct rsp *r, u64 tid, u32 *ret_ordinal)
{
    struct control_thread *list = NULL;
    size_t count = 0;
    bool ret = false;
    struct moment back = ahead_here(r);
    if (!r->ahead.shown)
        return false;
    struct error *err = ahead_go(r, r->ahead.from);
    if (!err)
        err = session_threads(r->session, &list, &count);
    for (size_t i = 0; !err && i < count && !ret; i++) {
        ret = list[i].tid == tid;
        *ret_ordinal = list[i].thread;
    }
    free(list);
    error_destroy(err);
    error_destroy(ahead_go(r, back));
    return ret;
}
