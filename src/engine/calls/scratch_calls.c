/* Scratch calls: see scratch_calls.h.  Other threads of a copy never run, so nothing may wait for them. */
#include "engine/calls/scratch_calls.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/plan/controlled.h"
#include "log/syscall_table.h"

enum { FUTEX_OPERATION = 0x7f, K_FUTEX_WAKE = 1, K_STDOUT = 1, K_STDERR = 2 };

static bool maps_no_file(const struct call *call)
{
    return call->args[3] & MAP_ANONYMOUS;
}

static enum syscall_scratch scratch_of(const struct call *call)
{
    return syscall_traits_of(call->number)->scratch;
}

bool scratch_allows(const struct call *call)
{
    enum syscall_scratch scratch = scratch_of(call);
    return scratch == SCRATCH_RUN || (scratch == SCRATCH_ANON && maps_no_file(call));
}

static bool prints(const struct call *call)
{
    return call->args[0] == K_STDOUT || call->args[0] == K_STDERR;
}

static bool wakes(const struct call *call)
{
    return (call->args[1] & FUTEX_OPERATION) == K_FUTEX_WAKE;
}

i64 scratch_answer(const struct call *call)
{
    switch (scratch_of(call)) {
    case SCRATCH_PRINT: /* a session leaves its engines stderr alone */
        return prints(call) ? kernel_call(call->number, K_STDERR, call->args[1], call->args[2]) : -ENOSYS;
    case SCRATCH_STOP:
        control_conclude(STOPPED_END, 0, "", "the copy has ended");
    case SCRATCH_ZERO:
        return 0;
    case SCRATCH_WAKE:
        return wakes(call) ? 0 : -ENOSYS;
    default:
        return -ENOSYS;
    }
}
