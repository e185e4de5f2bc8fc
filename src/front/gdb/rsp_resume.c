/* Movements: translates the client's requests to those of the session.
 *
 * As long as there is a copy that was written to, going forward runs the copy: this is how a client
 * calls a function. Once the registers are what they were before (the call has ended and everything
 * was restored), going forward moves in the recording, and the copy is dropped. Going backward
 * always moves in the recording.
 *
 * A client resumes all threads, or some. The others move nevertheless, since time is the same for
 * all threads, but their breakpoints and signals do not stop, and no stop is reported for them: a
 * client that has stepped one thread fails if another one stops. rsp_ahead.c handles the steps with
 * which a client only wants to get past a breakpoint.
 */
#include <errno.h>
#include <string.h>

#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

enum { NAMED_MOST = 64 };

struct resume_order {
    bool step;
    enum session_direction direction;
    u32 thread; /* the thread that is stepped, or the only one resumed */
    bool alone; /* no other thread is resumed */
    u32 named[NAMED_MOST]; /* the resumed threads, if there are any */
    u32 named_count;
    struct session_range range;
};

/* Forgets the last movement and what the client has selected since. Only the thread of `Hg` stays:
 * the client does not notice all movements, and does not send it again. */
static void rsp_resume_reset(struct rsp *r)
{
    rsp_threads_forget(r);
    r->selected = r->stop_thread = CONTROL_THREAD_ANY;
    r->in_phantom = false;
    r->has_original = false;
    r->call_slot = 0;
    r->stop = (struct session_stop){.why = WHY_ARRIVED};
    r->stop_is_movement = r->stop_repeats_end = false;
    r->stop_signal = 0;
}

void rsp_moved(struct rsp *r)
{
    rsp_ahead_forget(r);
    rsp_resume_reset(r);
}

static bool runs_copy(struct rsp *r, const struct resume_order *o)
{
    if (!session_scratch(r->session))
        return false;
    if (o->direction == FORWARD && !rsp_registers_original(r))
        return true;
    session_scratch_drop(r->session);
    r->has_original = false;
    return false;
}

static struct error *run_copy(struct rsp *r, const struct resume_order *o)
{
    u32 number = 0;
    struct error *err = rsp_lent_enter(r);
    if (err) {
        session_scratch_drop(r->session);
        return err;
    }
    bool is_call = rsp_call_prepare(r, &number);
    r->stop_is_movement = true; /* where the recording stands, perhaps at its end by a signal */
    err = session_scratch_run(r->session, o->step ? 1 : 0, &r->stop, &r->stop_signal);
    rsp_call_show_output(r);
    if (is_call && !err)
        err = rsp_call_finish(r, number);
    else if (is_call)
        error_destroy(session_remove_breakpoint(r->session, number));
    rsp_threads_forget(r);
    if (err)
        session_scratch_drop(r->session); /* the copy is of no more use; the recording continues */
    else
        rsp_lent_leave(r);
    return err;
}

/* --- in the recording ------------------------------------------------------------------------ */

static u32 running_thread(const struct rsp *r)
{
    struct session_place place;
    session_place(r->session, &place);
    return place.thread;
}

static bool is_thread_here(struct rsp *r, u32 thread)
{
    bool ret = thread == running_thread(r);
    rsp_threads_forget(r);
    error_destroy(rsp_threads_know(r));
    for (size_t i = 0; i < r->thread_count && !ret; i++)
        ret = r->threads[i].thread == thread;
    return ret;
}

/* True for a step past a breakpoint: see rsp_ahead.c. */
static bool is_step_past(const struct rsp *r, const struct resume_order *o)
{
    static const bool none[RSP_SIGNALS];
    return o->step && o->alone && memcmp(r->pass, none, sizeof none) == 0;
}

/* If a signal arrives in a step past a breakpoint, gdb expects a handler to return there. Going
 * backward it has already returned. */
static struct session_heed heed_of(const struct rsp *r, const struct resume_order *o)
{
    return (struct session_heed){
        .thread = o->alone ? o->thread : CONTROL_THREAD_ANY,
        .data_only = o->direction == BACKWARD && is_step_past(r, o),
    };
}

static bool is_let_go(const struct resume_order *o, u32 thread)
{
    for (u32 i = 0; i < o->named_count; i++)
        if (o->named[i] == thread)
            return true;
    return o->named_count == 0;
}

/* If a thread ends while others are resumed, the others decide where to stop. */
static struct error *step_once(struct rsp *r, const struct resume_order *o)
{
    bool made = false;
    struct error *err = NULL;
    if (!is_step_past(r, o))
        err = rsp_lines_step(r, o->direction, o->thread, o->range, &made);
    if (!err && !made)
        err = movement_stepi(r->session, o->direction, o->thread, 1, o->range, &r->stop);
    if (err || r->stop.why != WHY_THREAD_END || o->alone)
        return err;
    return movement_continue(r->session, FORWARD, 1, &r->stop);
}

/* Steps a thread that waits for its turn. It first comes to where the client already sees it; the
 * step is complete when it has executed the instruction there. A thread that waits in a call has a
 * changed register after the call. */
static struct error *step_waiting(struct rsp *r, const struct resume_order *o)
{
    struct control_registers before, after;
    const u8 *vector;
    struct error *err = session_registers(r->session, o->thread, &before, &vector);
    if (!err)
        err = step_once(r, o);
    if (err || r->stop.why != WHY_STEPPED)
        return err;
    err = session_registers(r->session, o->thread, &after, &vector);
    bool same = !err && before.rip == after.rip && !memcmp(before.reg, after.reg, sizeof after.reg);
    return same ? step_once(r, o) : err;
}

static struct error *move_once(struct rsp *r, const struct resume_order *o)
{
    if (!o->step)
        return movement_continue(r->session, o->direction, 1, &r->stop);
    bool waits = o->direction == FORWARD && o->thread != running_thread(r);
    return waits && o->range.start >= o->range.end ? step_waiting(r, o) : step_once(r, o);
}

/* Skips stops that the client has already seen, and stops of threads that it has not resumed. */
static struct error *move_until_told(struct rsp *r, const struct resume_order *o)
{
    struct error *err;
    bool goes_on;
    do {
        err = move_once(r, o);
        goes_on = !err && (rsp_ahead_knows(r, &r->stop) ||
                           (r->stop.why == WHY_BREAKPOINT && !is_let_go(o, running_thread(r))));
    } while (goes_on);
    return err;
}

/* A thread that is resumed alone cannot move beyond its first or last instruction, whatever other
 * threads did then. */
static struct error *stay_in_life(struct rsp *r, const struct resume_order *o, struct moment from)
{
    if (!o->alone || r->stop.why == WHY_STEPPED || r->stop.why == WHY_THREAD_START ||
        r->stop.why == WHY_THREAD_END || r->stop.why == WHY_INTERRUPTED)
        return NULL;
    rsp_threads_forget(r);
    return movement_stay_in_life(r->session, o->direction, o->thread, from, &r->stop);
}

/* At an end of the recording another thread may be the current one. */
static void say_whose_stop(struct rsp *r, const struct resume_order *o)
{
    bool other = o->alone && running_thread(r) != o->thread;
    r->stop_thread = other && is_thread_here(r, o->thread) ? o->thread : CONTROL_THREAD_ANY;
}

static struct error *rsp_resume_move(struct rsp *r, const struct resume_order *o)
{
    struct session_place before;
    bool past = is_step_past(r, o);
    struct error *err;
    session_place(r->session, &before);
    rsp_resume_reset(r);
    if (past)
        err = rsp_ahead_begin(r, o->direction, o->thread);
    else
        err = rsp_ahead_rejoin(r, o->direction);
    session_heed(r->session, heed_of(r, o));
    if (!err)
        err = past ? move_once(r, o) : move_until_told(r, o);
    if (!err)
        err = stay_in_life(r, o, before.at);
    session_heed(r->session, (struct session_heed){.thread = CONTROL_THREAD_ANY});
    if (err)
        return err;
    if (past)
        rsp_ahead_end(r, o->thread);
    else
        rsp_ahead_settle(r);
    say_whose_stop(r, o);
    r->stop_is_movement = true;
    r->stop_repeats_end = before.end && o->direction == FORWARD;
    return NULL;
}

static struct error *obey(struct rsp *r, const struct resume_order *o, bool *followed)
{
    bool signals = o->direction == FORWARD || !is_step_past(r, o);
    struct error *err = rsp_breakpoints_settle(r, signals);
    if (err)
        return err;
    *followed = false;
    if (!link_begin_movement(r->link, r->session)) {
        rsp_moved(r);
        r->stop.why = WHY_INTERRUPTED;
        return NULL;
    }
    err = runs_copy(r, o) ? run_copy(r, o) : rsp_resume_move(r, o);
    while (!err && rsp_processes_pass_fork(r, o->step))
        err = rsp_resume_move(r, o);
    link_end_movement(r->link, !err && r->stop.why == WHY_INTERRUPTED);
    return err ? err : rsp_processes_follow_exec(r, o->direction, followed);
}

/* A movement that fails leaves the session where it was. Clients do not expect an error here, so a
 * message is printed on the console and the last stop is reported again. */
static void resume(struct rsp *r, const struct resume_order *asked)
{
    bool followed = false;
    struct resume_order o = *asked;
    if (r->backward)
        o.direction = o.direction == FORWARD ? BACKWARD : FORWARD;
    struct error *err = obey(r, &o, &followed);
    if (err) {
        rsp_say(r, "ebb: ");
        rsp_say(r, error_text(err));
        rsp_say(r, "\n");
        error_destroy(err);
        rsp_moved(r);
    }
    if (!followed)
        rsp_stop_reply(r);
}

/* --- packets --------------------------------------------------------------------------------- */

/* Only the thread of `Hc` is resumed. If it names none, a step is of the thread that the client has
 * selected. */
static struct resume_order order_of(const struct rsp *r, enum session_direction direction,
                                    bool step)
{
    struct resume_order o = {.step = step, .direction = direction, .thread = r->resumed,
                             .alone = r->resumed != CONTROL_THREAD_ANY};
    if (!o.alone)
        o.thread = r->selected != CONTROL_THREAD_ANY ? r->selected : running_thread(r);
    return o;
}

/* Signals to be delivered are ignored: the recorded ones cannot be changed. */
void rsp_continue(struct rsp *r, const char *args)
{
    struct resume_order o = order_of(r, FORWARD, false);
    (void)args;
    resume(r, &o);
}

void rsp_step(struct rsp *r, const char *args)
{
    struct resume_order o = order_of(r, FORWARD, true);
    (void)args;
    resume(r, &o);
}

void rsp_backward(struct rsp *r, const char *args)
{
    struct resume_order o = order_of(r, BACKWARD, args[1] == 's');
    if (args[2])
        return rsp_fail(r, EINVAL);
    resume(r, &o);
}

/* One of `c`, `Csig`, `s`, `Ssig`, `rSTART,END`, `t`; then `:THREAD`, unless it is for all
 * threads. */
struct resume_action {
    char kind;
    u32 thread;
    bool known; /* the thread exists */
    struct session_range range;
};

static bool parse_action(struct rsp *r, const char **at, struct resume_action *ret)
{
    u64 signal;
    u32 pid;
    *ret = (struct resume_action){.kind = *(*at)++, .thread = CONTROL_THREAD_ANY, .known = true};
    char kind = ret->kind;
    if (!kind || !strchr("cCsSrt", kind))
        return false;
    if ((kind == 'C' || kind == 'S') && !wire_number(at, &signal))
        return false;
    if (kind == 'r' && (!wire_number(at, &ret->range.start) || *(*at)++ != ',' ||
                        !wire_number(at, &ret->range.end)))
        return false;
    if (**at != ':')
        return true;
    (*at)++;
    return rsp_threads_parse(r, at, &pid, &ret->thread, &ret->known);
}

static bool is_step(const struct resume_action *a)
{
    return a->kind == 's' || a->kind == 'S' || a->kind == 'r';
}

/* One thread may be stepped while others continue: the first that is stepped decides. *all: some
 * action is for all threads. */
static void add_action(struct resume_order *o, const struct resume_action *a, bool *all)
{
    if (is_step(a) && !o->step) {
        o->step = true;
        o->thread = a->thread;
        o->range = a->range;
    }
    if (a->thread == CONTROL_THREAD_ANY || o->named_count == NAMED_MOST)
        *all = true;
    else if (!o->named_count || !is_let_go(o, a->thread))
        o->named[o->named_count++] = a->thread;
}

/* True if the client names all existing threads one by one. */
static bool names_all(struct rsp *r, const struct resume_order *o)
{
    error_destroy(rsp_threads_know(r));
    for (size_t i = 0; i < r->thread_count; i++)
        if (!is_let_go(o, r->threads[i].thread))
            return false;
    return r->thread_count > 1;
}

static void finish_order(struct rsp *r, struct resume_order *o, bool all)
{
    if (all || (o->named_count > 1 && names_all(r, o)))
        o->named_count = 0;
    o->alone = o->named_count == 1;
    if (o->alone)
        o->thread = o->named[0];
    else if (o->thread == CONTROL_THREAD_ANY)
        o->thread = r->selected != CONTROL_THREAD_ANY ? r->selected : running_thread(r);
}

void rsp_vcont(struct rsp *r, const char *args)
{
    struct resume_order o = {.direction = FORWARD, .thread = CONTROL_THREAD_ANY};
    bool any = false, all = false;
    for (;;) {
        struct resume_action a;
        if (!parse_action(r, &args, &a))
            return rsp_fail(r, EINVAL);
        any = any || a.known;
        if (a.known && a.kind != 't')
            add_action(&o, &a, &all);
        if (!*args)
            break;
        if (*args++ != ';')
            return rsp_fail(r, EINVAL);
    }
    if (!any)
        return rsp_fail(r, ESRCH);
    finish_order(r, &o, all);
    resume(r, &o);
}
