/* System calls: the guest's, made by the engine.
 *
 * Most calls are passed to the kernel with the guest's own arguments: guest and engine share the
 * address space, so pointers are valid. The system-call table (log/syscalls.def) names the function
 * that handles a call instead, and says whether the other calls can wait.
 *
 * Calls whose arguments need no check and that keep the baton do not even come here: the door in
 * the cache makes them (doors.c).
 *
 *   syscalls_run --(a signal waits)-----------> instruction again, after its handler
 *                --(handler in the row)-------> answered here, or passed on changed
 *                --(NOW)----------------------> the kernel, at once
 *                --(anything else)------------> the kernel, baton given away; interruptible
 *
 * A call never starts while a signal is pending: the guest's handler runs before the call, and a
 * call that would not have waited never returns EINTR.
 *
 * A handler that gives the baton away must have read everything it needs from `cpu` before.
 */
#include "engine/calls/syscalls.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/ticks.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/pending.h"
#include "engine/memory/mapping.h"
#include "engine/share/share.h"
#include "engine/signals/signals.h"
#include "engine/threads/filters.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/cpu.h"
#include "log/format.h"
#include "log/syscall_table.h"

enum { SMALL_BUFFER = 256 };

typedef i64 call_handler(struct call *call);

#define call_PASS NULL
#define SYS(number, name, handler, ...) [number] = call_##handler,
#define SUB SYS
#define UNK SYS
static call_handler *const handlers[SYSCALL_NUMBERS + 1] = {
#include "log/syscalls.def"
};

static struct {
    u64 direct_known;    /* the state for which cpu->direct was made */
    bool kernel_changed; /* by call_pass_again() */
} syscalls;

static call_handler *handler_of(u64 number)
{
    return handlers[number < SYSCALL_NUMBERS ? number : SYSCALL_NUMBERS];
}

i64 call_refused(i64 result)
{
    thread_self()->call.flags |= SYSCALL_REFUSED;
    return result;
}

/* For calls that would do things that the engine does not see, or that would affect the engine
 * itself. */
i64 call_refuse(struct call *call)
{
    (void)call;
    return call_refused(-ENOSYS);
}

static bool same_file(const struct k_stat *a, i64 fd)
{
    struct k_stat b;
    return !kernel_call(__NR_fstat, fd, &b) && a->device == b.device && a->inode == b.inode;
}

/* The bytes would never be in the guest's memory, so a replay could not show what the program
 * printed. Programs handle this error and copy the bytes themselves. */
i64 call_copy_file_range(struct call *call)
{
    struct k_stat to;
    bool prints = log_owner->sees_bytes && !kernel_call(__NR_fstat, call->args[2], &to) &&
                  (same_file(&to, 1) || same_file(&to, 2));
    return prints && !call->args[5] ? call_refused(-EXDEV) : call_pass(call);
}

/* A signal in the middle of translated code, at an address that it accesses (sigtrap), is at no
 * moment of the program. Kernels before 5.13 do not know the bit. */
i64 call_perf_event_open(struct call *call)
{
    enum { FLAGS = 40 };
    const u64 sigtrap = 1ul << 37;
    u64 flags;
    bool known = guest_read_u64(gaddr(call->args[0] + FLAGS), &flags);
    return known && (flags & sigtrap) ? call_refused(-EINVAL) : call_pass(call);
}

i64 call_pass_again(const struct call *call)
{
    syscalls.kernel_changed = true;
    return call_pass_to_processor(call);
}

/* Snapshots do not have what the personality means for mappings. */
i64 call_personality(struct call *call)
{
    enum { ASK = 0xffffffff, READ_IMPLIES_EXEC = 0x400000 };
    struct thread *t = thread_self();
    i64 result = call_pass_now(call);
    if (result < 0 || (u32)call->args[0] == ASK)
        return result;
    t->read_executes = call->args[0] & READ_IMPLIES_EXEC;
    syscalls.kernel_changed |= t->read_executes;
    return result;
}

i64 call_pass_to_processor(const struct call *call)
{
    const u64 *a = call->args;
    return kernel_call6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Functions on the path of every call are inlined: after a system call the processor's return
 * predictor is empty, and a mispredicted return costs as much as the function's own work. */
#define EVERY_CALL static inline __attribute__((always_inline))

/* The number of bytes that the kernel may write; for small outputs, an upper bound. */
static u64 output_size(const struct call_arg *arg, const u64 *args)
{
    u8 source = arg->offered.source;
    if (source >= FROM_a0 && source <= FROM_a5)
        return args[source - FROM_a0];
    if (source >= FROM_w0 && source <= FROM_w5)
        return (u32)args[source - FROM_w0];
    return SMALL_BUFFER;
}

/* Pages that hold translated code are write-protected without the guest's knowledge. */
static void release_outputs(const struct call *call)
{
    const struct call_arg *arg = syscall_row_of(call->number)->args;
    for (unsigned n = 0; n < SYSCALL_ARGS && arg[n].name; n++) {
        if (!(arg[n].way & ARG_OUT) || !call->args[n])
            continue;
        u64 start = call->args[n], end = start + output_size(&arg[n], call->args);
        code_watch_release(start, end);
        if (share_member)
            share_release(start, end);
    }
}

/* Some addresses are not buffers: their handlers treat them. */
static bool is_pointer(const struct call_arg *arg, const struct call *call)
{
    return (arg->way & (ARG_IN | ARG_OUT)) || (arg->show == SHOW_PTR && !handler_of(call->number));
}

static __attribute__((noinline)) void point_elsewhere(struct call *call)
{
    const struct call_arg *arg = syscall_row_of(call->number)->args;
    for (unsigned n = 0; n < SYSCALL_ARGS && arg[n].name; n++)
        if (is_pointer(&arg[n], call) && call->args[n] < LAYOUT_USER_END &&
            address_refused(call->args[n], 1))
            call->args[n] = LAYOUT_NOTHING | (call->args[n] & ~PAGE_MASK);
}

/* The guest must not read or write the engine's memory through the kernel: such an address is
 * replaced by one that is unmapped for both, and the kernel returns its error. The engine's ranges
 * are few, so the row is consulted only for a value in one of them. */
EVERY_CALL void hide_engine(struct call *call)
{
    const u64 *a = call->args, high = LAYOUT_ENGINE_END - LAYOUT_POOLS;
    const u64 cache = layout.cache, low = layout.cache_end - cache;
    bool any = false;
    for (unsigned n = 0; n < SYSCALL_ARGS; n++)
        any |= (a[n] - LAYOUT_POOLS < high) | (a[n] - cache < low);
    if (__builtin_expect(any, false))
        point_elsewhere(call);
}

EVERY_CALL i64 syscalls_answer(struct call *call)
{
    const struct syscall_traits *traits = syscall_traits_of(call->number);
    call_handler *handler = handler_of(call->number);
    hide_engine(call);
    if ((traits->effects & EFFECT_HIDES) && descriptors_owned((i32)call->args[0]))
        return call_refused(-EBADF);
    if (traits->effects & EFFECT_FILLS)
        release_outputs(call);
    if (handler)
        return handler(call);
    if (traits->replay == WAY_REDO)
        return call_pass_again(call);
    return traits->wait == WAIT_NOW ? call_pass_now(call) : call_pass(call);
}

static bool release_everything(const struct call *call)
{
    bool read = pending_fill(0, ~0ul);
    bool code = code_watch_release(0, ~0ul), shared = share_release_arguments(call->args);
    return read || code || shared;
}

/* Handles results that need a second look. EFAULT may be caused by the engine's own protection. */
static __attribute__((noinline)) i64 mend(i64 result)
{
    struct call call = call_from_registers(); /* the handler may have changed its copy */
    if (result == -EFAULT && release_everything(&call))
        result = syscalls_answer(&call);
    if (result != -EINTR || !thread_self()->signal_waiting)
        return result;
    call = call_from_registers();
    bool again = call_restartable(&call) ? signals_restarts() : !signals_will_handle();
    return again ? CALL_AGAIN : -EINTR;
}

EVERY_CALL void syscalls_finish(i64 result)
{
    if (result == CALL_AGAIN) {
        cpu->rip -= SYSCALL_LENGTH;
        return;
    }
    cpu->reg[RAX] = (u64)result;
    cpu->reg[RCX] = cpu->rip;
    cpu->reg[R11] = cpu->flags;
}

/* True if the door may make such calls itself: their arguments need no check, and the baton is
 * kept. */
static bool is_direct(u64 number)
{
    if (!filters_allow_all(thread_self(), number))
        return false;
    const struct syscall_traits *traits = syscall_traits_of(number);
    if (handler_of(number) || (traits->effects & EFFECT_HIDES) ||
        ((traits->effects & EFFECT_FILLS) && code_watch_protects()))
        return false;
    return traits->wait == WAIT_NOW || threads.count <= 1;
}

/* The state on which the choice depends, besides the owner of the log, which does not change while
 * the door may be open. The list of filters is somewhere in the pools. */
static u64 direct_state(void)
{
    const struct thread *t = thread_self();
    return 1 | (u64)(threads.count > 1) << 1 | (u64)code_watch_protects() << 2 |
           (u64)(observer.any_call != NULL) << 3 |
           (u64)(t->filter_mode == FILTERS_STRICT) << 4 | (u64)t->filters << 5;
}

void syscalls_update_direct(void)
{
    if (syscalls.direct_known == direct_state())
        return;
    syscalls.direct_known = direct_state();
    for (unsigned n = 0; n < DIRECT_CALLS; n++)
        cpu->direct[n] = log_owner->direct_calls && !observer.any_call && is_direct(n);
}

EVERY_CALL i64 syscalls_make(struct call *call)
{
    i64 result = syscalls_answer(call);
    return result == -EFAULT || result == -EINTR ? mend(result) : result;
}

void syscalls_failed(void)
{
    i64 result = (i64)cpu->reg[RAX];
    cpu->reg[RAX] = cpu->call_number;
    cpu->reg[RCX] = cpu->rip;
    cpu->reg[R11] = cpu->flags;
    syscalls_finish(mend(result));
}

void syscalls_run(void)
{
    if (thread_self()->signal_waiting) {
        syscalls_finish(CALL_AGAIN);
        return;
    }
    const struct call asked = call_from_registers();
    struct thread *t = thread_self();
    i64 result;
    if (observer.any_call)
        observer.any_call();
    u32 verdict = syscalls_judge(&asked);
    t->call.flags = verdict == FILTER_ALLOW ? 0 : SYSCALL_FILTERED;
    enum log_answer answer = log_call_begins(&asked, &result);
    if (answer == LOG_LATER)
        return;
    if (verdict != FILTER_ALLOW) {
        result = syscalls_stopped(verdict);
    } else if (answer == LOG_MAKE) {
        struct call call = asked; /* a handler may change its copy */
        result = syscalls_make(&call);
    }
    log_call_ends(&asked, result);
    if (result != CALL_DONE)
        syscalls_finish(t->call.flags & SYSCALL_ROLLED_BACK ? (i64)asked.number : result);
    log_call_returns(&asked, result);
    if (__builtin_expect(t->call.flags & (SYSCALL_FILTERED | SYSCALL_ENDS_THREAD), 0))
        syscalls_carry_out(&asked, verdict);
}

/* --- threads of a snapshot ------------------------------------------------------------- */

bool syscalls_kernel_changed(void)
{
    return syscalls.kernel_changed;
}

static bool has_mask(call_handler *handler)
{
    return handler == call_ppoll || handler == call_pselect6 || handler == call_epoll_pwait ||
           handler == call_epoll_pwait2;
}

bool syscalls_resumable(u64 number)
{
    call_handler *handler = handler_of(number);
    return syscall_traits_of(number)->replay == WAY_FEED || has_mask(handler) ||
           handler == call_rt_sigsuspend;
}

/* The part of a handler that runs after the wait. */
static i64 end_wait(const struct call *asked)
{
    call_handler *handler = handler_of(asked->number);
    if (handler == call_rt_sigsuspend)
        return signals_suspend_resumed();
    i64 result = call_pass(asked);
    if (has_mask(handler) && thread_self()->mask_restore_waits)
        signals_mask_after_call();
    return result;
}

void syscalls_resume(void)
{
    const struct call asked = thread_self()->call.asked;
    i64 result = end_wait(&asked);
    bool made = syscall_traits_of(asked.number)->replay != WAY_FEED;
    if (made && (result == -EFAULT || result == -EINTR))
        result = mend(result);
    log_call_ends(&asked, result);
    if (result != CALL_DONE)
        syscalls_finish(result);
    log_call_returns(&asked, result);
}
