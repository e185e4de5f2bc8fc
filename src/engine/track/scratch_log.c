/* A copy that has left its log: see scratch_log.h.
 *
 * Other threads of the copy never run, so nothing may wait for them.
 */
#include "engine/track/scratch_log.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/log/observer.h"
#include "engine/memory/pending.h"
#include "engine/threads/thread.h"
#include "engine/track/replay.h"
#include "engine/track/unrecorded.h"
#include "log/control.h"
#include "log/format.h"
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

static bool scratch_allows(const struct call *call)
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

/* Handlers are not run: a call that ends in this way is reported. */
static i64 scratch_dies(u64 signal)
{
    if (signal)
        observer.copy_died((u32)signal);
    return 0;
}

/* The bytes to be printed may not have been read yet. */
static i64 scratch_prints(const struct call *call)
{
    const u64 *a = call->args;
    i64 result;
    do
        result = kernel_call(call->number, K_STDERR, a[1], a[2]);
    while (result == -EFAULT && pending_fill(0, ~0ul));
    return result;
}

static i64 scratch_answer(const struct call *call)
{
    switch (scratch_of(call)) {
    case SCRATCH_PRINT: /* a session leaves its engines stderr alone */
        return prints(call) ? scratch_prints(call) : -ENOSYS;
    case SCRATCH_PIPE:
        return prints(call) ? -ESPIPE : -ENOSYS;
    case SCRATCH_STOP:
        observer.ended(&(struct event_end){.status = (u32)call->args[0] & 0xff});
        observer.concluded(STOPPED_END, 0, "", "the copy has ended");
        __builtin_unreachable();
    case SCRATCH_KILL:
        return scratch_dies(call->args[1]);
    case SCRATCH_RAISE:
        return scratch_dies(call->args[2]);
    case SCRATCH_ZERO:
        return 0;
    case SCRATCH_WAKE:
        return wakes(call) ? 0 : -ENOSYS;
    default:
        return -ENOSYS;
    }
}

static enum log_answer scratch_call_begins(const struct call *call, i64 *result)
{
    if (scratch_allows(call))
        return LOG_MAKE;
    *result = scratch_answer(call);
    return LOG_ANSWERED;
}

/* The copy stops where the signal came, and continues from there when it is told to. */
static bool scratch_outlives(u32 signal)
{
    observer.copy_died(signal);
    return true;
}

static void scratch_ends(int status, int signal)
{
    (void)status;
    for (;;)
        observer.copy_died((u32)signal);
}

static const struct log_owner log_scratch = {
    .live = true,
    .owns_clocks = true,
    .outlasts_end = true,
    .call_begins = scratch_call_begins,
    .pass = unrecorded_pass,
    .pass_now = unrecorded_pass_now,
    .outlives = scratch_outlives,
    .ends = scratch_ends,
    .events_met = replay_events_met,
};

/* A signal that ended the recording here does not interrupt the copy. */
void scratch_begin(void)
{
    struct thread *t = thread_self();
    if (log_owner == &log_scratch)
        return;
    log_own(&log_scratch);
    t->fault_waits = false; /* executing the instruction at rip, changed or not, will tell */
    t->waiting_info.signal = 0;
    t->signal_waiting = false;
}
