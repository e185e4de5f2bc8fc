/* System calls in a replay: fed from the log, or made again and compared with it.
 *
 * If a thread waited in a call, the log continues with what others did meanwhile; the event of the
 * call comes when that thread runs again.
 */
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/observer.h"
#include "engine/memory/guest_memory.h"
#include "engine/threads/thread.h"
#include "engine/track/replay.h"
#include "engine/track/replay_internal.h"
#include "engine/track/replay_output.h"
#include "engine/track/replay_spawn.h"
#include "engine/track/replay_threads.h"
#include "engine/x86_64/call.h"
#include "log/channel.h"
#include "log/syscall_table.h"

/* The log continues with another thread: so does the replay, until it returns to this one. */
void replay_switch_thread(const struct event *e)
{
    const struct event_switch *s = (const struct event_switch *)e->payload;
    if (e->thread != thread_self()->ordinal || e->tick != ticks_now() ||
        (e->pc && e->pc != cpu->rip)) /* without a pc: the thread was killed */
        replay_diverge_number(e, "another thread, or at another moment: the pc is", cpu->rip);
    u32 to = s->to;
    replay_met(e);
    replay_switch_to(to);
}

/* Writes what the engine itself wrote into guest memory. */
static void write_data(const struct event *e)
{
    replay_apply_pieces(e->payload + sizeof(struct event_data), replay_event_end(e));
    replay_met(e);
}

/* True for external events; a switch in a call is met by that call. */
bool replay_from_outside(const struct event *e)
{
    if (e->kind == EVENT_SWITCH)
        return ((const struct event_switch *)e->payload)->reason == SWITCH_SLICE;
    if (e->kind == EVENT_SHARED)
        return ((const struct event_shared *)e->payload)->where == SHARED_AT_BOUNDARY;
    if (e->kind == EVENT_SIGNAL) /* otherwise it is raised again by itself */
        return !(((const struct event_signal *)e->payload)->flags & SIGNAL_SYNCHRONOUS);
    return e->kind == EVENT_CHECK;
}

/* In a call, rip is after the instruction. */
static bool is_switch_in_call(const struct event *e)
{
    return e->kind == EVENT_SWITCH && e->pc == cpu->rip;
}

/* Writes what other processes wrote into shared memory. */
void replay_write_shared(const struct event *e)
{
    const struct event_shared *s = (const struct event_shared *)e->payload;
    bool more = s->flags & EVENT_MORE;
    if (e->thread != thread_self()->ordinal || e->tick != ticks_now())
        replay_diverge_number(e, "another thread, or at another tick:", ticks_now());
    replay_apply_pieces(e->payload + sizeof(*s), replay_event_end(e));
    replay_met(e);
    replay_apply_data(more);
}

/* Returns the next event, after everything that other threads and processes did in between. */
static const struct event *next_of_this_thread(void)
{
    for (;;) {
        const struct event *e = replay_next_or_end();
        if (is_switch_in_call(e))
            replay_switch_thread(e);
        else if (e->kind == EVENT_DATA)
            write_data(e);
        else if (e->kind == EVENT_SHARED && !replay_from_outside(e))
            replay_write_shared(e);
        else
            return e;
    }
}

void replay_leave(void)
{
    const struct event *e;
    while ((e = replay_next_or_end())->kind == EVENT_DATA)
        write_data(e);
    if (e->kind != EVENT_SWITCH)
        replay_diverge(e, "a thread ended");
    replay_switch_thread(e);
    replay_unable("the log switches to a thread that has ended");
}

/* --- the calls ------------------------------------------------------------------------ */

static _Noreturn void diverge_call(const struct event *e, const struct call *call)
{
    replay_diverge_number(e, "the program made system call", call->number);
}

/* The program continues in another track. */
static _Noreturn void become_another(const struct event *e)
{
    replay_expect_state(e, cpu->rip - SYSCALL_LENGTH);
    replay_met(e);
    replay_conclude(CHANNEL_REPRODUCED, "", "");
}

/* False: the call failed in the recording, or was not made; its result is fed whatever kind of call
 * it is. */
static bool begin_call(const struct call *call)
{
    const struct event *e = replay_next_or_end();
    /* Parts of the current call; the call is compared with its event when that comes. */
    if (e->kind == EVENT_MAP || e->kind == EVENT_FORK || e->kind == EVENT_SWITCH ||
        e->kind == EVENT_DATA || e->kind == EVENT_SHARED)
        return true;
    if (e->kind == EVENT_END && syscall_has(call->number, EFFECT_EXITS)) /* for replay_end() */
        return true;
    if (e->kind == EVENT_EXEC && syscall_has(call->number, EFFECT_EXECS))
        become_another(e);
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    if (e->kind != EVENT_SYSCALL || s->number != call->number)
        diverge_call(e, call);
    replay_expect_state(e, cpu->rip - SYSCALL_LENGTH);
    if (s->flags & SYSCALL_FILTERED)
        return false;
    return s->result >= 0 || !syscall_has(call->number, EFFECT_WHOLE);
}

/* Returns the event of the current call. */
static const struct event *call_event(void)
{
    const struct call *call = &thread_self()->call.asked;
    const struct event *e = next_of_this_thread();
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    if (e->kind != EVENT_SYSCALL || s->number != call->number)
        diverge_call(e, call);
    return e;
}

/* Bytes that other processes wrote into a mapping come before the result, but can be written only
 * once it is mapped: then the MAP has its address. */
static bool is_written_by_others(void)
{
    const struct event *e = replay_next_or_end();
    return e->kind == EVENT_SHARED && !replay_from_outside(e);
}

bool replay_answered(struct log_answered *ret)
{
    if (is_written_by_others()) {
        *ret = (struct log_answered){.result = (i64)replay.mapped_at};
        return true;
    }
    const struct event *e = call_event();
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    const u8 *at = e->payload + sizeof(*s) + s->args * sizeof(u64), *end = replay_event_end(e);
    *ret = (struct log_answered){.result = s->result};
    while ((u64)(end - at) >= sizeof(struct event_piece)) {
        const struct event_piece *piece = (const struct event_piece *)at;
        if (piece->kind == PIECE_REACHED) {
            ret->has_reached = true;
            ret->reached = piece->address;
        }
        at += sizeof(*piece) + format_padded(piece->size);
    }
    return true;
}

/* The limit determines how far the stack may grow, also in a replay. */
static void repeat_limit(const struct call *call)
{
    enum { K_RLIMIT_STACK = 3 };
    const struct call_arg *arg = syscall_row_of(call->number)->args;
    u32 n = 0;
    while (arg[n].show != SHOW_RESOURCE)
        n++;
    u64 bytes;
    if (call->args[n] == K_RLIMIT_STACK && call->args[n + 1] &&
        guest_read_u64(gaddr(call->args[n + 1]), &bytes))
        replay_limit_stack(bytes);
}

/* Users know threads by their names. */
static void replay_note_name(const struct call *call)
{
    if (syscall_variant_has(call->number, call->args, EFFECT_NAMES))
        guest_read_string(thread_self()->name, gaddr(call->args[1]), sizeof(thread_self()->name));
}

/* Applies the effects of a call that is not made to the replay's own state. */
static void follow_call(const struct call *call, i64 result)
{
    enum { PR_TSC_SIGSEGV = 2 };
    u32 effects = syscall_traits_of(call->number)->effects;
    output_after_call(call, result);
    if (effects & EFFECT_NAMES)
        replay_note_name(call);
    if ((effects & EFFECT_COUNTER) &&
        syscall_variant_has(call->number, call->args, EFFECT_COUNTER) && result == 0)
        thread_forbid(FORBIDS_COUNTER, call->args[1] == PR_TSC_SIGSEGV);
    if ((effects & EFFECT_LIMITS) && result >= 0)
        repeat_limit(call);
}

/* A signal ended the call before it had done anything: it is made again, after the events before
 * that. */
static bool comes_again(void)
{
    const struct event *e = next_of_this_thread();
    return replay_from_outside(e) && e->tick == ticks_now() && e->pc == cpu->rip - SYSCALL_LENGTH;
}

i64 replay_feed(void)
{
    struct thread_call *c = &thread_self()->call;
    if (comes_again()) {
        c->met = true;
        return CALL_AGAIN;
    }
    const struct event *e = call_event();
    const struct event_syscall *s = (const struct event_syscall *)e->payload;
    i64 result = s->result;
    bool more = s->flags & EVENT_MORE, made = !(s->flags & SYSCALL_FILTERED);
    c->flags |= s->flags & (SYSCALL_ROLLED_BACK | SYSCALL_ENDS_THREAD);
    replay_apply_pieces(e->payload + sizeof(*s) + s->args * sizeof(u64), replay_event_end(e));
    replay_met(e);
    replay_apply_data(more);
    c->met = true;
    if (made)
        follow_call(&c->asked, result);
    if (result == -EINTR)
        replay_expect_signal();
    return result;
}

bool replay_process_is_made(const struct event **ret)
{
    if (comes_again())
        return false;
    *ret = call_event();
    return ((const struct event_syscall *)(*ret)->payload)->result > 0;
}

/* The engine itself has made the call: compares the result. */
static void meet_call(i64 result)
{
    struct thread_call *c = &thread_self()->call;
    if (c->met)
        return;
    const struct event *e = call_event();
    if (((const struct event_syscall *)e->payload)->result != result)
        replay_diverge_number(e, "the result of the call is", (u64)result);
    bool more = ((const struct event_syscall *)e->payload)->flags & EVENT_MORE;
    replay_met(e);
    replay_apply_data(more);
    c->met = true;
}

/* True if the engine makes the call again (or a part of it), instead of only feeding from the
 * log. */
static bool redoes(const struct call *call)
{
    u8 way = syscall_traits_of(call->number)->replay;
    return way == WAY_REDO || way == WAY_CUSTOM;
}

enum log_answer replay_call_begins(const struct call *call, i64 *result)
{
    struct thread_call *c = &thread_self()->call;
    if ((observer.stands_before_call && observer.stands_before_call(call)) || replay_child_ends())
        return LOG_LATER;
    c->open = true;
    c->met = false;
    c->asked = *call;
    c->tick = ticks_now();
    c->pc = cpu->rip - SYSCALL_LENGTH;
    if (observer.call_begins)
        observer.call_begins(call);
    bool redo = begin_call(call) && redoes(call);
    if (redo && syscall_has(call->number, EFFECT_SIGRETURN))
        meet_call(0);
    if (redo)
        return LOG_MAKE;
    *result = replay_feed();
    return LOG_ANSWERED;
}

void replay_call_ends(const struct call *call, i64 result)
{
    if (result != CALL_DONE)
        meet_call(result);
    if (observer.call_ended)
        observer.call_ended(call, result);
    thread_self()->call.open = false;
}

void replay_call_returns(const struct call *call, i64 result)
{
    if (result != CALL_AGAIN && observer.call_returned)
        observer.call_returned(call, result);
}

i64 replay_pass(const struct call *call)
{
    (void)call;
    return replay_feed();
}

bool replay_wait_ended(void)
{
    replay_feed(); /* EINTR, and the signal that ended the wait */
    return true;
}
