/* Calls that are handled elsewhere (processes, threads, signals), and calls about the process that
 * the engine must control. */
#include "engine/base/kernel.h"
#include "engine/base/settings.h"
#include "engine/calls/clocks.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/memory_limits.h"
#include "engine/processes/process.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"

i64 call_clone(struct call *call)
{
    const u64 *a = call->args;
    return process_clone(a[0], a[1], a[2], a[3], a[4]);
}

i64 call_clone3(struct call *call)
{
    return process_clone3(gaddr(call->args[0]), call->args[1]);
}

i64 call_fork(struct call *call)
{
    (void)call;
    return process_fork();
}

i64 call_vfork(struct call *call)
{
    (void)call;
    return process_vfork();
}

i64 call_execve(struct call *call)
{
    const u64 *a = call->args;
    return process_execve(gaddr(a[0]), gaddr(a[1]), gaddr(a[2]));
}

i64 call_execveat(struct call *call)
{
    const u64 *a = call->args;
    return process_execveat((i32)a[0], gaddr(a[1]), gaddr(a[2]), gaddr(a[3]), (u32)a[4]);
}

i64 call_exit(struct call *call)
{
    thread_exit((int)call->args[0]);
}

i64 call_exit_group(struct call *call)
{
    process_exit_group((int)call->args[0]);
}

/* The kernel clears the word and walks the robust list itself: its thread is the guest's
 * thread, and ends with it. */
i64 call_set_tid_address(struct call *call)
{
    thread_self()->clear_tid = gaddr(call->args[0]);
    return call_own_number(call);
}

i64 call_set_robust_list(struct call *call)
{
    struct thread *t = thread_self();
    i64 result = call_pass_now(call);
    if (result == 0) {
        t->robust_list = gaddr(call->args[0]);
        t->robust_size = call->args[1];
    }
    return result;
}

/* Signals */

i64 call_rt_sigaction(struct call *call)
{
    const u64 *a = call->args;
    return signals_action((int)a[0], gaddr(a[1]), gaddr(a[2]), a[3]);
}

i64 call_rt_sigprocmask(struct call *call)
{
    const u64 *a = call->args;
    return signals_mask((int)a[0], gaddr(a[1]), gaddr(a[2]), a[3]);
}

i64 call_rt_sigpending(struct call *call)
{
    return signals_pending(gaddr(call->args[0]), call->args[1]);
}

/* Once its mask is in force a signal ends the call, whether or not the kernel had begun to wait. */
i64 call_rt_sigsuspend(struct call *call)
{
    i64 result = signals_suspend(gaddr(call->args[0]), call->args[1]);
    return result == CALL_AGAIN ? -EINTR : result;
}

i64 call_rt_sigtimedwait(struct call *call)
{
    const u64 *a = call->args;
    i64 held = signals_take_held(gaddr(a[0]), gaddr(a[1]), a[3]);
    return held ? held : call_pass(call);
}

i64 call_rt_sigreturn(struct call *call)
{
    (void)call;
    signals_return();
    return CALL_DONE;
}

i64 call_sigaltstack(struct call *call)
{
    return signals_altstack(gaddr(call->args[0]), gaddr(call->args[1]));
}

/* prctl operations that the engine cannot tolerate: traps on cpuid and rdtsc, which it uses, shadow
 * stacks that its returns would not match, tagged addresses. */

enum {
    PR_GET_SECCOMP = 21,
    PR_SET_SECCOMP = 22,
    PR_GET_TSC = 25,
    PR_SET_TSC = 26,
    PR_TSC_ENABLE = 1,
    PR_TSC_SIGSEGV = 2,
    PR_SET_SYSCALL_USER_DISPATCH = 59,
    PR_SET_MDWE = 65,
    PR_GET_MDWE = 66,
    PR_SET_SHADOW_STACK_STATUS = 75,
    PR_LOCK_SHADOW_STACK_STATUS = 76,
};

/* The engine itself reads the time stamp counter, also for the guest. So the engine enforces the
 * prohibition. */
static i64 set_counter(struct call *call)
{
    u32 value = (u32)call->args[1];
    if (!log_owner->owns_clocks)
        return call_pass_now(call);
    if (value != PR_TSC_ENABLE && value != PR_TSC_SIGSEGV)
        return -EINVAL;
    thread_forbid(FORBIDS_COUNTER, value == PR_TSC_SIGSEGV);
    return 0;
}

static i64 get_counter(struct call *call)
{
    i32 value = PR_TSC_SIGSEGV;
    if (!(thread_self()->forbidden & FORBIDS_COUNTER))
        return call_pass_now(call);
    return guest_write(gaddr(call->args[1]), &value, sizeof(value)) ? 0 : -EFAULT;
}

/* The engine's own memory becomes code, so the engine enforces this for the guest's. */
static i64 set_code_denied(const struct call *call)
{
    const u64 *a = call->args;
    return a[2] || a[3] || a[4] ? -EINVAL : memory_limits_deny_code(a[1]);
}

static i64 get_code_denied(struct call *call)
{
    i64 result = call_pass_now(call); /* 0, or an error */
    return result ? result : (i64)memory_limits_code_denied();
}

i64 call_prctl(struct call *call)
{
    switch (call->args[0]) {
    case PR_GET_TSC:
        return get_counter(call);
    case PR_SET_TSC:
        return set_counter(call);
    case PR_SET_MDWE:
        return set_code_denied(call);
    case PR_GET_MDWE:
        return get_code_denied(call);
    case PR_GET_SECCOMP:
        return thread_self()->filter_mode;
    case PR_SET_SECCOMP:
        return call_set_filter_mode(call->args[1], call->args[2]);
    case PR_SET_SYSCALL_USER_DISPATCH:
    case PR_SET_SHADOW_STACK_STATUS:
    case PR_LOCK_SHADOW_STACK_STATUS:
        return -EINVAL;
    default:
        return call_pass_now(call);
    }
}

enum {
    ARCH_SET_GS = 0x1001,
    ARCH_SET_FS = 0x1002,
    ARCH_GET_FS = 0x1003,
    ARCH_GET_GS = 0x1004,
    ARCH_GET_CPUID = 0x1011,
    ARCH_SET_CPUID = 0x1012,
    ARCH_GET_XCOMP_SUPP = 0x1021,
    ARCH_GET_XCOMP_PERM = 0x1022,
    ARCH_REQ_XCOMP_PERM = 0x1023,
    ARCH_GET_XCOMP_GUEST_PERM = 0x1024,
    ARCH_REQ_XCOMP_GUEST_PERM = 0x1025,
};

/* The engine answers cpuid, so it enforces this, too. The kernel says whether it could. */
static i64 set_cpuid(const struct call *call)
{
    if (log_owner->live && kernel_call(__NR_arch_prctl, ARCH_SET_CPUID, 1))
        return -ENODEV;
    thread_forbid(FORBIDS_CPUID, call->args[1] == 0);
    return 0;
}

/* fs and gs are the guest's, in the processor: calls that set them are made again in a replay. */
i64 call_arch_prctl(struct call *call)
{
    u64 code = call->args[0];
    switch (code) {
    case ARCH_SET_GS:
    case ARCH_SET_FS:
        return call_pass_to_processor(call);
    case ARCH_REQ_XCOMP_PERM:
    case ARCH_REQ_XCOMP_GUEST_PERM:
        return call_pass_again(call);
    case ARCH_SET_CPUID:
        return set_cpuid(call);
    case ARCH_GET_CPUID:
        return thread_self()->forbidden & FORBIDS_CPUID ? 0 : call_pass_now(call);
    case ARCH_GET_FS:
    case ARCH_GET_GS:
    case ARCH_GET_XCOMP_SUPP:
    case ARCH_GET_XCOMP_PERM:
    case ARCH_GET_XCOMP_GUEST_PERM:
        return call_pass_now(call);
    default:
        return -EINVAL;
    }
}

/* The segment table is also the processor's. Calls that read it are answered from the log. */
i64 call_modify_ldt(struct call *call)
{
    enum { WRITE_OLD = 1, WRITE = 0x11 };
    bool writes = (u32)call->args[0] == WRITE_OLD || (u32)call->args[0] == WRITE;
    return writes ? call_pass_again(call) : call_pass_now(call);
}

/* Returns reproducible numbers, if that was requested. */
i64 call_getrandom(struct call *call)
{
    if (!settings.random)
        return call_pass(call);
    u64 size = call->args[1] < 0x2000000 ? call->args[1] : 0x1ffffff; /* the kernel's maximum */
    for (u64 done = 0; done < size; done += sizeof(u64)) {
        u64 number = 0;
        u64 part = size - done < sizeof(number) ? size - done : sizeof(number);
        clocks_random(&number);
        if (!guest_write(gaddr(call->args[0] + done), &number, part))
            return done ? (i64)done : -EFAULT;
    }
    return (i64)size;
}
