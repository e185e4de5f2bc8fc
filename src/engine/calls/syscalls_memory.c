/* Calls that change the address space.
 *
 * What they do to the guest's areas is in memory/address*.c; here are the arguments as the kernel
 * takes them, the answers of calls that only ask, and what a call means for other parts of the
 * engine.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/log/log.h"
#include "engine/memory/address.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapped_file.h"
#include "engine/memory/memory_limits.h"
#include "engine/memory/pending.h"
#include "engine/processes/process.h"
#include "engine/threads/thread.h"
#include "log/syscall_vectors.h"

/* READ_IMPLIES_EXEC, except for files that may not be executed. */
static u64 also_executes(u64 protection)
{
    bool executes = thread_self()->read_executes && (protection & PROT_READ);
    return protection | (executes ? PROT_EXEC : 0);
}

i64 call_mmap(struct call *call)
{
    const u64 *a = call->args;
    u64 protection = also_executes(a[2]);
    if (log_owner->sees_stores && !(a[3] & MAP_ANONYMOUS) && mapped_file_is_restless((i32)a[4]))
        return call_refused(-ENODEV);
    i64 result = address_mmap(a[0], a[1], protection, a[3], (i32)a[4], a[5]);
    if (result == -EPERM && protection != a[2])
        result = address_mmap(a[0], a[1], a[2], a[3], (i32)a[4], a[5]);
    return result;
}

i64 call_munmap(struct call *call)
{
    return address_munmap(call->args[0], call->args[1]);
}

i64 call_mprotect(struct call *call)
{
    return address_mprotect(call->args[0], call->args[1], also_executes(call->args[2]));
}

i64 call_pkey_mprotect(struct call *call)
{
    const u64 *a = call->args;
    return address_pkey_mprotect(a[0], a[1], also_executes(a[2]), (i32)a[3]);
}

i64 call_mremap(struct call *call)
{
    const u64 *a = call->args;
    return address_mremap(a[0], a[1], a[2], a[3], a[4]);
}

i64 call_brk(struct call *call)
{
    return address_brk(call->args[0]);
}

i64 call_shmat(struct call *call)
{
    return address_shmat((i32)call->args[0], call->args[1], call->args[2]);
}

i64 call_shmdt(struct call *call)
{
    return address_shmdt(call->args[0]);
}

i64 call_madvise(struct call *call)
{
    return address_madvise(call->args[0], call->args[1], call->args[2]);
}

/* Advice that changes memory is taken for the process itself alone. The kernel says of no range at
 * all whether it would take it. */
i64 call_process_madvise(struct call *call)
{
    enum { RANGES_MOST = 1024 };
    struct k_iovec ranges[RANGES_MOST];
    const u64 *a = call->args;
    if (!address_advice_matters((u32)a[3]))
        return call_pass(call);
    i64 result = log_owner->live ? kernel_call(call->number, a[0], a[1], 0, a[3], a[4]) : 0;
    if (result < 0)
        return result;
    if (a[2] > RANGES_MOST)
        return -EINVAL;
    if (!guest_read(ranges, gaddr(a[1]), a[2] * sizeof(*ranges)))
        return -EFAULT;
    return address_madvise_ranges(ranges, a[2], (u32)a[3]);
}

i64 call_remap_file_pages(struct call *call)
{
    const u64 *a = call->args;
    return address_remap_file_pages(a[0], a[1], a[2], a[3], a[4]);
}

/* Writes perhaps to the process's own memory, where pages protected by the engine would stop the
 * kernel. */
i64 call_write_memory(struct call *call)
{
    if (process_is_own(call->args[0]))
        code_watch_release(0, ~0ul);
    pending_fill(0, ~0ul);
    return call_pass(call);
}

/* Only noted: the kernel is not told, because the engine itself must be able to change sealed
 * memory. */
i64 call_mseal(struct call *call)
{
    const u64 *a = call->args;
    i64 known = kernel_call(call->number, 1, 0, 0); /* EINVAL if the kernel has the call */
    return known == -ENOSYS ? known : address_mseal(a[0], a[1], a[2]);
}

static i64 lock_areas(u64 flags)
{
    if (!memory_limits_allow_locking())
        return -ENOMEM;
    pending_fill(0, ~0ul);
    for (const struct area *area = areas_from(0); area; area = areas_from(area->end)) {
        if (area->flags & AREA_VDSO)
            continue;
        u64 how = flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0;
        i64 result = kernel_call(__NR_mlock2, area->start, area->end - area->start, how);
        if (result == -EPERM || result == -EAGAIN)
            return result;
    }
    return 0;
}

/* Locks what the guest has mapped and maps later, area by area: all of the process would include
 * the engine's tables, which are huge and nearly empty. */
i64 call_mlockall(struct call *call)
{
    u64 flags = call->args[0];
    u64 known = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
    if (!flags || (flags & ~known) || flags == MCL_ONFAULT)
        return -EINVAL;
    i64 allowed = kernel_call(__NR_mlock, 0, 0);
    if (allowed)
        return allowed;
    i64 result = flags & MCL_CURRENT ? lock_areas(flags) : 0;
    if (!result)
        memory_limits_lock_future(flags);
    return result;
}

i64 call_munlockall(struct call *call)
{
    memory_limits_lock_future(0);
    return call_pass_now(call);
}
