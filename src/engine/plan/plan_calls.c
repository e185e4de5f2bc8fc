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

/* clone has its flags in an argument, clone3 at the head of what that points at; others have none. */
static bool makes_thread(const struct call *call)
{
    const struct call_arg *arg = syscall_row_of(call->number)->args;
    u64 flags = 0;
    if (arg[0].show == SHOW_CLONE)
        flags = call->args[0];
    if (arg[0].shape == SHAPE_CLONE3)
        guest_read_u64(gaddr(call->args[0]), &flags);
    return flags & K_CLONE_THREAD;
}

void plan_after_call(const struct call *call, i64 result)
{
    if (!plan_pass.runs)
        return;
    plan_arrive(SITE_RETURN, call->number);
    if (result > 0 && syscall_has(call->number, EFFECT_MAKES))
        plan_arrive(makes_thread(call) ? SITE_THREAD : SITE_FORK, (u64)result);
}
