/* Filters of system calls: the calls that install them, and what becomes of a call that they stop.
 *
 * The order of checks is the kernel's (kernel/seccomp.c), since programs look at the errors to find
 * out what the kernel can do: browsers pass a bad pointer and expect EFAULT.
 *
 *   syscalls_judge -> (log) -> syscalls_stopped: the result -> (log) -> syscalls_carry_out: signals
 *
 * A call that raises SIGSYS leaves its number in rax. The log has the result ENOSYS then, so that
 * no reader takes the number for a success.
 */
#include "engine/base/kernel.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/memory_limits.h"
#include "engine/signals/signals.h"
#include "engine/threads/filters.h"
#include "engine/threads/thread.h"
#include "log/format.h"

enum {
    SET_STRICT = 0,
    SET_LIST = 1,
    ASK_ACTION = 2,
    ASK_SIZES = 3,
    FLAG_TSYNC = 1,
    FLAG_LOG = 2,
    FLAG_SPEC_ALLOW = 4,
    FLAG_TSYNC_ESRCH = 16,
    CODE_SECCOMP = 1, /* SYS_SECCOMP */
    ERRNO_MOST = 4095,
    CAP_SYS_ADMIN = 21,
    PR_SET_NO_NEW_PRIVS = 38,
    PR_GET_NO_NEW_PRIVS = 39,
};

struct program_place { /* struct sock_fprog */
    u16 count;
    u64 steps;
};

/* --- installing ------------------------------------------------------------------------------- */

static i64 set_strict(void)
{
    struct thread *t = thread_self();
    if (t->filter_mode == FILTERS_LIST)
        return -EINVAL;
    filters_set_strict(t);
    return 0;
}

static bool may_install(void)
{
    return kernel_call(__NR_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
           memory_limits_capable(CAP_SYS_ADMIN);
}

static i64 install(u64 flags, struct gaddr at)
{
    struct filter_step steps[FILTER_LONGEST];
    struct program_place program;
    if (!guest_read(&program, at, sizeof(program)))
        return -EFAULT;
    if (program.count == 0 || program.count > FILTER_LONGEST)
        return -EINVAL;
    if (!may_install())
        return -EACCES;
    if (!guest_read(steps, gaddr(program.steps), program.count * sizeof(*steps)))
        return -EFAULT;
    if (!filter_program_valid(steps, program.count))
        return -EINVAL;
    if (thread_self()->filter_mode == FILTERS_STRICT)
        return -EINVAL;
    i64 result = filters_install(steps, program.count, flags & FLAG_TSYNC);
    return result > 0 && (flags & FLAG_TSYNC_ESRCH) ? -ESRCH : result;
}

/* The listener of the flag NEW_LISTENER would be a descriptor of the kernel; there is none. */
static i64 set_list(u64 flags, struct gaddr program)
{
    bool known = !(flags & ~(u64)(FLAG_TSYNC | FLAG_LOG | FLAG_SPEC_ALLOW | FLAG_TSYNC_ESRCH));
    return known ? install(flags, program) : -EINVAL;
}

static i64 ask_action(u64 flags, struct gaddr at)
{
    static const u32 known[] = {FILTER_KILL_PROCESS, FILTER_KILL_THREAD, FILTER_TRAP, FILTER_ERRNO,
                                FILTER_TRACE, FILTER_LOG, FILTER_ALLOW};
    u32 action;
    if (flags)
        return -EINVAL;
    if (!guest_read(&action, at, sizeof(action)))
        return -EFAULT;
    for (size_t n = 0; n < countof(known); n++)
        if (action == known[n])
            return 0;
    return -EOPNOTSUPP;
}

static i64 ask_sizes(u64 flags, struct gaddr at)
{
    static const u16 sizes[3] = {80, 24, 64}; /* of seccomp_notif, its answer, seccomp_data */
    if (flags)
        return -EINVAL;
    return guest_write(at, sizes, sizeof(sizes)) ? 0 : -EFAULT;
}

i64 call_seccomp(struct call *call)
{
    u32 operation = (u32)call->args[0];
    u64 flags = (u32)call->args[1];
    struct gaddr at = gaddr(call->args[2]);
    switch (operation) {
    case SET_STRICT:
        return flags || at.at ? -EINVAL : set_strict();
    case SET_LIST:
        return set_list(flags, at);
    case ASK_ACTION:
        return ask_action(flags, at);
    case ASK_SIZES:
        return ask_sizes(flags, at);
    default:
        return -EINVAL;
    }
}

i64 call_set_filter_mode(u64 mode, u64 program)
{
    switch (mode) {
    case FILTERS_STRICT:
        return set_strict();
    case FILTERS_LIST:
        return set_list(0, gaddr(program));
    default:
        return -EINVAL;
    }
}

/* --- judging ---------------------------------------------------------------------------------- */

/* Another thread gave them to this one; its rights go with them. */
static void take_rights(struct thread *t)
{
    t->filters_given = false;
    kernel_call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

u32 syscalls_run_filters(const struct call *call)
{
    struct thread *t = thread_self();
    struct filter_data data = {
        .number = (u32)call->number, .machine = FILTER_MACHINE, .pc = cpu->rip};
    if (t->filters_given)
        take_rights(t);
    memcpy(data.args, call->args, sizeof(data.args));
    u32 verdict = filters_judge(t, &data);
    u32 action = verdict & FILTER_ACTION;
    return action == FILTER_ALLOW || action == FILTER_LOG ? (u32)FILTER_ALLOW : verdict;
}

static bool kills(u32 action)
{
    return action != FILTER_TRAP && action != FILTER_ERRNO && action != FILTER_NOTIFY &&
           action != FILTER_TRACE;
}

/* A thread that is not the only one ends by itself. */
static bool ends_thread(u32 action)
{
    return action == FILTER_KILL_THREAD && threads.count > 1 && !thread_self()->in_vfork;
}

i64 syscalls_stopped(u32 verdict)
{
    u32 action = verdict & FILTER_ACTION, data = verdict & FILTER_DATA;
    if (action == FILTER_ERRNO)
        return -(i64)(data < ERRNO_MOST ? data : ERRNO_MOST);
    if (ends_thread(action))
        thread_self()->call.flags |= SYSCALL_ENDS_THREAD;
    else if (action == FILTER_TRAP || kills(action))
        thread_self()->call.flags |= SYSCALL_ROLLED_BACK;
    return -ENOSYS; /* also where a tracer or a listener is asked, and there is none */
}

void syscalls_carry_out(const struct call *call, u32 verdict)
{
    struct thread *t = thread_self();
    u32 action = verdict & FILTER_ACTION;
    struct k_siginfo info = {.signal = SIG_SYS, .code = CODE_SECCOMP,
                             .error = (i32)(verdict & FILTER_DATA)};
    if (t->call.flags & SYSCALL_ENDS_THREAD)
        thread_exit(0);
    if (!(t->call.flags & SYSCALL_ROLLED_BACK))
        return;
    info.call.pc = cpu->rip;
    info.call.number = (i32)call->number;
    info.call.machine = FILTER_MACHINE;
    if (t->filter_mode == FILTERS_STRICT)
        info = (struct k_siginfo){.signal = SIG_KILL};
    if (action == FILTER_TRAP)
        signals_force(&info);
    else
        signals_die(&info);
}
