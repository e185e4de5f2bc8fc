/* Movements: what a client asks for, in the session's words.
 *
 * As long as there is a copy that was written to, going forward runs that: a client calls a
 * function of the program so. Once the registers are again what they were (the call is over and
 * everything has been put back), going on means the recording, and the copy is dropped.  Going
 * backward always means the recording.
 */
#include <errno.h>
#include <string.h>

#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

struct resume_order {
    bool step;
    enum session_direction direction;
    u32 thread;
    struct session_range range;
};

void rsp_moved(struct rsp *r)
{
    rsp_threads_forget(r);
    r->general = CONTROL_THREAD_ANY;
    r->in_phantom = false;
    r->has_original = false;
    r->call_slot = 0;
    r->stop = (struct session_stop){.why = WHY_ARRIVED};
    r->stop_is_movement = r->stop_repeats_end = false;
    r->stop_signal = 0;
}

/* Another program of the same process goes on where this track ended. */
static struct error *follow_exec(struct rsp *r, bool *ret)
{
    u32 next = rsp_facts_exec(r->rec, session_track(r->session));
    *ret = next != TRACK_NONE;
    return *ret ? rsp_choose_track(r, next, true) : NULL;
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
    r->stop_is_movement = true; /* wherever the recording stands, perhaps at its end by a signal */
    err = session_scratch_run(r->session, o->step ? 1 : 0, &r->stop, &r->stop_signal);
    if (is_call && !err)
        err = rsp_call_finish(r, number);
    else if (is_call)
        error_destroy(session_remove_breakpoint(r->session, number));
    rsp_threads_forget(r);
    if (err)
        session_scratch_drop(r->session); /* it is of no more use; the recording is */
    else
        rsp_lent_leave(r);
    return err;
}

static struct error *rsp_resume_move(struct rsp *r, const struct resume_order *o)
{
    struct session_place before;
    struct error *err;
    session_place(r->session, &before);
    rsp_moved(r);
    if (o->step)
        err = session_step(r->session, o->direction, o->thread, 1, o->range, &r->stop);
    else
        err = session_continue(r->session, o->direction, 1, &r->stop);
    r->stop_is_movement = true;
    r->stop_repeats_end = before.end && o->direction == FORWARD;
    return err;
}

static struct error *obey(struct rsp *r, const struct resume_order *o, bool *followed)
{
    struct error *err = rsp_breakpoints_settle(r);
    if (err)
        return err;
    *followed = false;
    if (!link_begin_movement(r->link, r->session)) {
        rsp_moved(r);
        r->stop.why = WHY_INTERRUPTED;
        return NULL;
    }
    err = runs_copy(r, o) ? run_copy(r, o) : rsp_resume_move(r, o);
    link_end_movement(r->link, !err && r->stop.why == WHY_INTERRUPTED);
    if (!err && r->stop_repeats_end && r->stop.why == WHY_END && r->exec_events && r->facts.execs)
        err = follow_exec(r, followed);
    return err;
}

/* A movement that could not be made leaves the session where it was.  Clients do not expect an
 * error here, so they are told on the console and the stop is repeated. */
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
    if (followed) {
        reply_text(&r->reply, "T05exec:");
        reply_hex(&r->reply, session_program(r->session), strlen(session_program(r->session)));
        reply_text(&r->reply, ";thread:");
        rsp_threads_name(r, &r->reply, rsp_threads_tid(r, CONTROL_THREAD_ANY));
        reply_text(&r->reply, ";");
        return;
    }
    rsp_stop_reply(r);
}

/* Signals to be delivered are not: what came, came. */
void rsp_continue(struct rsp *r, const char *args)
{
    (void)args;
    resume(r, &(struct resume_order){.direction = FORWARD});
}

void rsp_step(struct rsp *r, const char *args)
{
    (void)args;
    resume(r, &(struct resume_order){.step = true, .direction = FORWARD, .thread = r->resumed});
}

/* A thread that has gone, or is not there yet, cannot be stepped: whoever runs is. */
void rsp_backward(struct rsp *r, const char *args)
{
    struct resume_order o = {.step = args[1] == 's', .direction = BACKWARD, .thread = r->resumed};
    if (args[2])
        return rsp_fail(r, EINVAL);
    resume(r, &o);
}

/* One of `c`, `Csig`, `s`, `Ssig`, `rSTART,END`, `t`; then `:THREAD` if it is not for all. */
static bool parse_action(struct rsp *r, const char **at, struct resume_order *o, bool *ret_applies)
{
    char kind = *(*at)++;
    u64 signal;
    u32 pid;
    bool known;
    if (!kind || !strchr("cCsSrt", kind))
        return false;
    if ((kind == 'C' || kind == 'S') && !wire_number(at, &signal))
        return false;
    if (kind == 'r' && (!wire_number(at, &o->range.start) || *(*at)++ != ',' ||
                        !wire_number(at, &o->range.end)))
        return false;
    o->step = kind == 's' || kind == 'S' || kind == 'r';
    o->thread = CONTROL_THREAD_ANY;
    *ret_applies = true;
    if (**at != ':')
        return true;
    (*at)++;
    if (!rsp_threads_parse(r, at, &pid, &o->thread, &known))
        return false;
    *ret_applies = known;
    return true;
}

/* One thread may be stepped while the others go on: the first that is decides. */
void rsp_vcont(struct rsp *r, const char *args)
{
    struct resume_order chosen = {.direction = FORWARD};
    bool any = false;
    for (;;) {
        struct resume_order o = {.direction = FORWARD};
        bool applies;
        if (!parse_action(r, &args, &o, &applies))
            return rsp_fail(r, EINVAL);
        if (applies && o.step && !chosen.step)
            chosen = o;
        any = any || applies;
        if (!*args)
            break;
        if (*args++ != ';')
            return rsp_fail(r, EINVAL);
    }
    if (!any)
        return rsp_fail(r, ESRCH);
    resume(r, &chosen);
}
