/* External events in a replay: signals, the ends of slices, memory that others changed, checks; and
 * the answers of clocks. */
#include "engine/base/goal.h"
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/calls/clocks.h"
#include "engine/log/observer.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/track/digest.h"
#include "engine/track/replay.h"
#include "engine/track/replay_internal.h"

static void arrive(const struct event *e)
{
    struct thread *t = thread_self();
    const struct event_signal *s = (const struct event_signal *)e->payload;
    memcpy(&t->waiting_info, s->info, sizeof(t->waiting_info));
    t->signal_waiting = true;
}

/* sigsuspend and similar calls: finds the signal that ended the wait, if the next event is one. The
 * event stays: replay_boundary() meets it when it delivers. */
void replay_expect_signal(void)
{
    const struct event *e = replay_next();
    if (e && e->kind == EVENT_SIGNAL && e->tick == ticks_now() && e->pc == cpu->rip)
        arrive(e);
}

/* External signals were met where they were due. */
void replay_signal(const struct log_signal *s)
{
    if (!s->synchronous || !replay.logs_faults)
        return;
    const struct event *e = replay_next_or_end();
    const struct event_signal *was = (const struct event_signal *)e->payload;
    if (e->kind != EVENT_SIGNAL || was->signal != (u32)s->info->signal || was->fate != s->fate)
        replay_diverge_number(e, "an instruction raised signal", (u64)s->info->signal);
    replay_expect_state(e, cpu->rip);
    if (was->handler != s->handler || was->frame != s->frame)
        replay_diverge_number(e, "the frame of its handler is at", s->frame);
    replay_met_fault(e);
}

/* Without a pc only its tick is known (record_killed). */
static void deliver(const struct event *e)
{
    replay_expect_state(e, e->pc ? cpu->rip : 0);
    arrive(e);
    bool died = ((const struct event_signal *)e->payload)->fate == SIGNAL_DIED;
    replay_met(e);
    if (died && thread_is_apart())
        signals_leave_others();
    if (died)
        replay_end(0, thread_self()->waiting_info.signal);
    signals_deliver();
}

static void replay_check(const struct event *e)
{
    const struct event_check *c = (const struct event_check *)e->payload;
    struct digest_extent extent;
    replay_expect_state(e, cpu->rip);
    if (c->bytes && digest_memory(&extent) != c->memory)
        replay_diverge(e, extent.bytes == c->bytes ? "memory differs" : "memory has another size");
    if (c->vector && c->vector != digest_vectors())
        replay_diverge(e, "vector registers differ");
    replay_met(e);
}

bool replay_execs_now(void)
{
    const struct event *e = replay_next();
    return !e || e->kind == EVENT_EXEC;
}

bool replay_outside_due(void)
{
    const struct event *e = replay_next();
    return e && replay_from_outside(e) && goal_reached(e->tick, e->pc);
}

u32 replay_signal_due(void)
{
    const struct event *e = replay_outside_due() ? replay_next() : NULL;
    return e && e->kind == EVENT_SIGNAL ? ((const struct event_signal *)e->payload)->signal : 0;
}

/* True if the observer wants the engine to stop before it. */
static bool stands_before(const struct event *e)
{
    return observer.stands_before_signal &&
           observer.stands_before_signal(((const struct event_signal *)e->payload)->signal);
}

static void meet_shared(const struct event *e)
{
    replay_expect_state(e, cpu->rip);
    replay_write_shared(e);
}

bool replay_meet(void)
{
    const struct event *e = replay_next_or_end();
    bool faults = replay_faults_at(e);
    goal.set = replay_from_outside(e) || faults;
    if (!goal.set)
        return false;
    goal.tick = e->tick;
    goal.pc = e->pc;
    if (!goal_reached(e->tick, e->pc))
        return false;
    if (faults) {
        replay_close_page(e);
        goal.set = false;
        return false;
    }
    if (e->kind == EVENT_SWITCH)
        replay_switch_thread(e);
    else if (e->kind == EVENT_SHARED)
        meet_shared(e);
    else if (e->kind == EVENT_CHECK)
        replay_check(e);
    else if (!stands_before(e))
        deliver(e);
    return true;
}

void replay_boundary(void)
{
    while (replay_meet()) {
    }
}

/* Returns the values of the next answer. The first may be part of the question, and known. */
bool replay_clock(u32 source, const u64 *args, struct clock_answer *ret)
{
    bool asked = clocks_expect(source, args, ret);
    u64 *values = ret->value;
    u32 count = ret->count;
    const struct event *e = replay_next_or_end();
    const struct event_clock *c = (const struct event_clock *)e->payload;
    if (e->kind != EVENT_CLOCK || c->source != source || c->count != count)
        replay_diverge_number(e, "the program asked clock", source);
    replay_expect_state(e, cpu->rip);
    if (asked && values[0] != *(const u64 *)(c + 1))
        replay_diverge_number(e, "the program asked it about", values[0]);
    memcpy(values, c + 1, count * sizeof(u64));
    replay_met(e);
    return true;
}
