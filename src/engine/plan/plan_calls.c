/* The plan's view of system calls: see plan.h. */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/memory/guest_memory.h"
#include "engine/plan/plan.h"
#include "engine/track/replay.h"
#include "engine/x86_64/call.h"

static bool becomes_program(u64 number)
{
    return plan_wants(SITE_EXEC) && (number == __NR_execve || number == __NR_execveat) &&
           replay_execs_now();
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

static bool makes_thread(const struct call *call)
{
    u64 flags = 0;
    if (call->number == __NR_clone)
        flags = call->args[0];
    if (call->number == __NR_clone3)
        guest_read_u64(gaddr(call->args[0]), &flags);
    return flags & K_CLONE_THREAD;
}

static bool plan_calls_makes_process(u64 number)
{
    return number == __NR_clone || number == __NR_clone3 || number == __NR_fork || number == __NR_vfork;
}

void plan_after_call(const struct call *call, i64 result)
{
    if (!plan_pass.runs)
        return;
    plan_arrive(SITE_RETURN, call->number);
    if (result > 0 && plan_calls_makes_process(call->number))
        plan_arrive(makes_thread(call) ? SITE_THREAD : SITE_FORK, (u64)result);
}
