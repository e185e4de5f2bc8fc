/* Calls that wait: with a signal mask of their own, on futexes, and what becomes of them
 * when a signal comes.
 *
 * ppoll and its kin change the mask, wait, and change it back, as one step: what is ready comes
 * before a signal that the new mask lets in.  So the kernel gets the mask, without the signals that
 * it must not block (signals.h), and the engine only keeps account.  A signal that the engine keeps
 * itself, and a replay, know nothing of what is ready: there the mask is changed before the call.
 */
#include "engine/base/kernel.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/log/log.h"
#include "engine/memory/guest_memory.h"
#include "engine/signals/signals.h"
#include "engine/threads/futex.h"
#include "engine/threads/thread.h"
#include "log/syscall_table.h"

enum { MASK_SIZE = 8 };

struct mask_pair {
    u64 set, size;
};

static i64 pass_with_mask_before(struct call *call, u64 mask)
{
    signals_mask_for_call(mask);
    i64 result = call_pass(call);
    signals_mask_after_call();
    return result == CALL_AGAIN && log_owner->live ? -EINTR : result;
}

/* The mask is argument `index`, and its size the next; or argument `pair` points to both. */
static i64 pass_with_mask(struct call *call, struct mask_pair given, int index, int pair)
{
    u64 mask, ours;
    if (given.size != MASK_SIZE)
        return -EINVAL;
    if (!guest_read_u64(gaddr(given.set), &mask))
        return -EFAULT;
    struct mask_pair place = {(u64)&ours, MASK_SIZE};
    u64 *arg = &call->args[pair ? pair : index];
    *arg = 0;
    if (!log_owner->live || !signals_mask_in_call(mask, &ours))
        return pass_with_mask_before(call, mask);
    *arg = pair ? (u64)&place : (u64)&ours;
    i64 result = call_pass(call);
    signals_mask_was_in_call(result == -EINTR);
    return result;
}

static i64 pass_mask_at(struct call *call, int index)
{
    struct mask_pair given = {call->args[index], call->args[index + 1]};
    return given.set ? pass_with_mask(call, given, index, 0) : call_pass(call);
}

i64 call_ppoll(struct call *call)
{
    return pass_mask_at(call, 3);
}

i64 call_epoll_pwait(struct call *call)
{
    return pass_mask_at(call, 4);
}

i64 call_epoll_pwait2(struct call *call)
{
    return pass_mask_at(call, 4);
}

i64 call_pselect6(struct call *call)
{
    enum { PAIR = 5 };
    struct mask_pair given = {0, 0};
    if (call->args[PAIR] && !guest_read(&given, gaddr(call->args[PAIR]), sizeof(given)))
        return -EFAULT;
    call->args[PAIR] = 0;
    return given.set ? pass_with_mask(call, given, 0, PAIR) : call_pass(call);
}

/* Futexes */

i64 call_futex(struct call *call)
{
    if (futex_is_ours(call->args))
        return futex_call(call->args);
    bool waits = syscall_variant_has(call->number, call->args, EFFECT_WAITS);
    return waits ? call_pass(call) : call_pass_now(call);
}

/* The newer calls. The kernel makes or refuses all other cases. */

static bool kernel_has(const struct call *call)
{
    /* invalid arguments for each of them */
    return kernel_call(call->number, 0, 0, ~0ul, ~0ul, 0, 0) != -ENOSYS;
}

i64 call_futex_waitv(struct call *call)
{
    i64 result;
    return kernel_has(call) && futex_wait_vector(call->args, &result) ? result : call_pass(call);
}

i64 call_futex_wait(struct call *call)
{
    u64 args[6];
    return kernel_has(call) && futex_wait_again(call->args, args) ? futex_call(args)
                                                                  : call_pass(call);
}

i64 call_futex_wake(struct call *call)
{
    u64 args[6];
    return kernel_has(call) && futex_wake_again(call->args, args) ? futex_call(args)
                                                                  : call_pass(call);
}

i64 call_futex_requeue(struct call *call)
{
    u64 args[6];
    return kernel_has(call) && futex_requeue_again(call->args, args) ? futex_call(args)
                                                                     : call_pass(call);
}

/* Yields to another guest thread if one wants to run; otherwise the kernel yields. */
i64 call_sched_yield(struct call *call)
{
    if (!thread_others_wait())
        return call_pass(call);
    thread_yield();
    return 0;
}

/* Restarted after a signal, or not */

enum { SOL_SOCKET = 1, SO_RCVTIMEO = 20, SO_SNDTIMEO = 21 };

/* A socket with a time limit returns EINTR whatever the handler's flags are. */
static bool has_time_limit(u64 fd, u64 option)
{
    i64 limit[2] = {0, 0};
    u32 size = sizeof(limit);
    i64 result = kernel_call(__NR_getsockopt, fd, SOL_SOCKET, option, limit, &size);
    return result == 0 && (limit[0] || limit[1]);
}

bool call_restartable(const struct call *call)
{
    switch ((enum syscall_wait)syscall_traits_of(call->number)->wait) {
    case WAIT_ONCE:
        return false;
    case WAIT_RECV:
        return !has_time_limit(call->args[0], SO_RCVTIMEO);
    case WAIT_SEND:
        return !has_time_limit(call->args[0], SO_SNDTIMEO);
    case WAIT_TIMED: /* with a time limit it is restarted only after signals without a handler */
        return !(call->args[3] && syscall_variant_has(call->number, call->args, EFFECT_WAITS));
    case WAIT_AGAIN:
    case WAIT_NOW:
        break;
    }
    return true;
}
