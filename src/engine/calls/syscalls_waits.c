/* Calls that wait: with a signal mask of their own, on futexes, and what becomes of them
 * when a signal comes.
 *
 * ppoll and its kin change the mask, wait, and change it back, as one step.  The mask is
 * the engine's business (signals.h), so it is changed before and the call made without it:
 * a signal that the new mask lets in is noted before the call or interrupts it, and the
 * answer is EINTR in both cases.
 */
#include "engine/base/kernel.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/memory/guest_memory.h"
#include "engine/signals/signals.h"
#include "engine/threads/futex.h"
#include "engine/threads/thread.h"
#include "engine/track/log_mode.h"

enum { MASK_SIZE = 8 };

static i64 pass_with_mask(struct call *call, struct gaddr set, u64 size)
{
    u64 mask;
    if (size != MASK_SIZE)
        return -EINVAL;
    if (!guest_read_u64(set, &mask))
        return -EFAULT;
    signals_mask_for_call(mask);
    i64 result = call_pass(call);
    signals_mask_after_call();
    return result == CALL_AGAIN && log_mode != LOG_REPLAY ? -EINTR : result;
}

/* The mask is argument `index`, its size the next. */
static i64 pass_mask_at(struct call *call, int index)
{
    struct gaddr set = gaddr(call->args[index]);
    if (!set.at)
        return call_pass(call);
    call->args[index] = 0;
    return pass_with_mask(call, set, call->args[index + 1]);
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

/* Here the mask and its size are behind a pointer. */
i64 call_pselect6(struct call *call)
{
    u64 pair[2] = {0, 0};
    if (call->args[5] && !guest_read(pair, gaddr(call->args[5]), sizeof(pair)))
        return -EFAULT;
    call->args[5] = 0;
    return pair[0] ? pass_with_mask(call, gaddr(pair[0]), pair[1]) : call_pass(call);
}

/* Futexes */

enum {
    FUTEX_COMMAND = 0x7f, /* without the private and the clock flag */
    FUTEX_WAIT = 0,
    FUTEX_LOCK_PI = 6,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_WAIT_REQUEUE_PI = 11,
    FUTEX_LOCK_PI2 = 13,
};

static bool futex_waits(u64 operation)
{
    switch (operation & FUTEX_COMMAND) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_WAIT_REQUEUE_PI:
        return true;
    default:
        return false;
    }
}

i64 call_futex(struct call *call)
{
    if (futex_is_ours(call->args))
        return futex_call(call->args);
    return futex_waits(call->args[1]) ? call_pass(call) : call_pass_now(call);
}

/* To a thread of our own if one wants to run; else to whom the kernel likes. */
i64 call_sched_yield(struct call *call)
{
    if (!thread_others_wait())
        return call_pass(call);
    thread_yield();
    return 0;
}

/* Made again after a signal, or not */

enum { SOL_SOCKET = 1, SO_RCVTIMEO = 20, SO_SNDTIMEO = 21 };

/* A socket with a time limit answers EINTR whatever the handler's flags are. */
static bool has_time_limit(u64 fd, u64 option)
{
    i64 limit[2] = {0, 0};
    u32 size = sizeof(limit);
    i64 result = kernel_call(__NR_getsockopt, fd, SOL_SOCKET, option, limit, &size);
    return result == 0 && (limit[0] || limit[1]);
}

/* As signal(7) has it. */
bool call_restartable(const struct call *call)
{
    switch (call->number) {
    case __NR_poll:
    case __NR_ppoll:
    case __NR_select:
    case __NR_pselect6:
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2:
    case __NR_nanosleep:
    case __NR_clock_nanosleep:
    case __NR_restart_syscall:
    case __NR_rt_sigtimedwait:
    case __NR_rt_sigsuspend:
    case __NR_pause:
    case __NR_semop:
    case __NR_semtimedop:
    case __NR_msgrcv:
    case __NR_msgsnd:
    case __NR_close:
        return false;
    case __NR_futex: /* with a time limit it goes on only after signals without a handler */
        return !(futex_waits(call->args[1]) && call->args[3]);
    case __NR_read:
    case __NR_readv:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_recvmmsg:
    case __NR_accept:
    case __NR_accept4:
        return !has_time_limit(call->args[0], SO_RCVTIMEO);
    case __NR_write:
    case __NR_writev:
    case __NR_sendto:
    case __NR_sendmsg:
    case __NR_sendmmsg:
    case __NR_connect:
        return !has_time_limit(call->args[0], SO_SNDTIMEO);
    default:
        return true;
    }
}
