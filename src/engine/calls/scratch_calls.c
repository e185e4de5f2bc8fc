/* Scratch calls: see scratch_calls.h.  Other threads of a copy never run, so nothing may wait for them. */
#include "engine/calls/scratch_calls.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/plan/controlled.h"

enum { FUTEX_OPERATION = 0x7f, K_FUTEX_WAKE = 1, K_STDOUT = 1, K_STDERR = 2 };

static bool maps_no_file(const struct call *call)
{
    return call->args[3] & MAP_ANONYMOUS;
}

bool scratch_allows(const struct call *call)
{
    switch (call->number) {
    case __NR_mmap:
        return maps_no_file(call);
    case __NR_brk:
    case __NR_munmap:
    case __NR_mprotect:
    case __NR_mremap:
    case __NR_madvise:
    case __NR_rt_sigaction:
    case __NR_rt_sigprocmask:
    case __NR_rt_sigreturn:
    case __NR_sigaltstack:
    case __NR_arch_prctl:
    case __NR_getpid:
    case __NR_gettid:
    case __NR_getppid:
    case __NR_getuid:
    case __NR_geteuid:
    case __NR_getgid:
    case __NR_getegid:
    case __NR_uname:
    case __NR_getrandom:
    case __NR_clock_gettime:
    case __NR_clock_getres:
    case __NR_gettimeofday:
    case __NR_time:
        return true;
    default:
        return false;
    }
}

static bool prints(const struct call *call)
{
    return (call->number == __NR_write || call->number == __NR_writev) &&
           (call->args[0] == K_STDOUT || call->args[0] == K_STDERR);
}

i64 scratch_answer(const struct call *call)
{
    if (prints(call)) /* a session leaves its engines stderr alone */
        return kernel_call(call->number, K_STDERR, call->args[1], call->args[2]);
    if (call->number == __NR_exit || call->number == __NR_exit_group)
        control_conclude(STOPPED_END, 0, "", "the copy has ended");
    if (call->number == __NR_sched_yield)
        return 0;
    if (call->number == __NR_futex && (call->args[1] & FUTEX_OPERATION) == K_FUTEX_WAKE)
        return 0;
    return -ENOSYS;
}
