/* The plan's view of system calls: see plan.h. */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/log/log.h"
#include "engine/memory/guest_memory.h"
#include "engine/plan/plan.h"
#include "engine/x86_64/call.h"
#include "log/syscall_table.h"

static bool becomes_program(u64 number)
{
    return plan_wants(SITE_EXEC) && syscall_has(number, EFFECT_EXECS) && log_execs_now();
}

bool plan_before_call(const struct call *call)
{
    if (!plan_pass.wants)
        return false;
    cpu->rip -= SYSCALL_LENGTH;
    bool stands = plan_at_call(call->number, becomes_program(call->number));
    if (!stands)
        cpu->rip += SYSCALL_LENGTH;
    return stands;
}

static bool read_guest(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    return guest_read(to, from, size);
}

static bool makes_thread(const struct call *call)
{
    static const struct call_memory memory = {read_guest, NULL};
    u64 flags = call_clone_flags(call->number, call->args, &memory);
    return (flags & CALL_FLAG_VM) && !(flags & CALL_FLAG_VFORK);
}

void plan_after_call(const struct call *call, i64 result)
{
    if (!plan_pass.runs)
        return;
    plan_arrive(SITE_RETURN, call->number);
    if (result > 0 && syscall_has(call->number, EFFECT_MAKES))
        plan_arrive(makes_thread(call) ? SITE_THREAD : SITE_FORK, (u64)result);
}
