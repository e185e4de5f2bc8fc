/* Processes: fork, vfork and exit.
 *
 * A fork is made by the kernel: the child has a copy of the guest and of the engine and continues
 * after the system call.
 *
 * A child of vfork shares the memory of its parent, whose kernel thread sleeps until it execs or
 * exits. It runs on its parent's block: the state of the guest and its signals is saved, the
 * child's engine stack begins below the parent's frames, and the parent restores everything when it
 * wakes. In between the child takes the place of its parent's thread, for the baton and everything
 * else; so other threads of the parent run on as they would natively.
 *
 *   parent: vfork_process --engine_clone--> sleeps ...................... puts back, goes on
 *   child:                     vfork_begin, engine_run ... execve, exit --^
 *
 * A child may be killed while it waits for the baton or for a futex: its parent takes over its
 * place in the line. But if it is killed between two instructions that change this place, the other
 * threads of the parent wait forever; without other threads this cannot happen.
 */
#include "engine/processes/process.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/address.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/signals/signals.h"
#include "engine/threads/futex.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/enter.h"
#include "log/format.h"

enum {
    CSIGNAL = 0xff, /* part of clone's flags: the signal at the child's end */
    CLONE_DETACHED = 0x400000,
    CLONE_ARGS_FIRST = 64, /* the size of the first version of struct clone_args */
    STACK_GAP = 1024,
};
#define CLONE_CLEAR_SIGHAND 0x100000000ul
#define CLONE_INTO_CGROUP 0x200000000ul
#define CLONE3_FLAGS_END (2 * CLONE_INTO_CGROUP) /* higher flags mean nothing */

enum { K_SIG_SETMASK = 2, K_SIGSET = 8 };

u64 process_block_signals(void)
{
    u64 all = ~0ul, old = 0;
    if (!log_owner->live)
        return 0; /* one kernel thread runs all of them */
    kernel_call(__NR_rt_sigprocmask, K_SIG_SETMASK, &all, &old, K_SIGSET);
    return old;
}

void process_restore_signals(u64 mask)
{
    if (!log_owner->live)
        return;
    kernel_call(__NR_rt_sigprocmask, K_SIG_SETMASK, &mask, NULL, K_SIGSET);
}

/* The kernel writes ids there, and does not report a failure. */
static void release_ids(const struct k_clone_args *args)
{
    code_watch_release(args->parent_tid, args->parent_tid + sizeof(u32));
    code_watch_release(args->child_tid, args->child_tid + sizeof(u32));
    code_watch_release(args->pidfd, args->pidfd + sizeof(u32));
}

/* Handlers become default actions in the child (CLONE_CLEAR_SIGHAND); the kernel's handlers are the
 * engine's and stay. */
static void clear_handlers(void)
{
    for (int signal = 1; signal <= SIG_LAST; signal++) {
        struct k_sigaction action = {0};
        struct k_sigaction fresh = {0};
        signals_action(signal, gaddr(0), gaddr((u64)&action), K_SIGSET);
        if (action.handler > K_SIG_IGN)
            signals_action(signal, gaddr((u64)&fresh), gaddr(0), K_SIGSET);
    }
}

static void set_stack(const struct k_clone_args *args)
{
    if (args->stack)
        cpu->reg[RSP] = args->stack + args->stack_size;
}

bool process_is_own(u64 number)
{
    i64 own = kernel_call(__NR_getpid);
    return (i32)number > 0 && ((i32)number == own || thread_find((u32)number) ||
                               kernel_call(__NR_tgkill, own, number, 0) == 0);
}

/* Fork */

static i64 kernel_fork(const struct k_clone_args *args)
{
    u64 flags = args->flags & ~CLONE_CLEAR_SIGHAND;
    if (!args->set_tid_size && !(flags & CLONE_INTO_CGROUP) &&
        !((flags & K_CLONE_PIDFD) && (flags & K_CLONE_PARENT_SETTID))) {
        u64 written = flags & K_CLONE_PIDFD ? args->pidfd : args->parent_tid;
        return kernel_call(__NR_clone, flags | args->exit_signal, 0, written, args->child_tid,
                           args->tls);
    }
    struct k_clone_args ours = *args; /* clone cannot express all of it */
    ours.flags = flags;
    ours.stack = ours.stack_size = 0;
    return kernel_call(__NR_clone3, &ours, sizeof(ours));
}

/* Makes this process a child of fork, in a recording or in a replay. */
void process_become_forked(const struct k_clone_args *args)
{
    thread_forked();
    futex_forked();
    if (args->flags & CLONE_CLEAR_SIGHAND)
        clear_handlers();
    thread_self()->clear_tid = gaddr(args->flags & K_CLONE_CHILD_CLEARTID ? args->child_tid : 0);
    set_stack(args);
    signals_forked();
    address_forked();
}

static void fork_child(const struct k_clone_args *args)
{
    if (args->flags & K_CLONE_FILES)
        descriptors_shared();
    stats_forked();
    if (observer.forked)
        observer.forked();
    process_become_forked(args);
    log_forked(ticks_now(), cpu->rip - SYSCALL_LENGTH);
}

static i64 fork_process(const struct k_clone_args *args)
{
    log_forks();
    u64 mask = process_block_signals();
    i64 pid = thread_self()->signal_waiting ? CALL_AGAIN : kernel_fork(args);
    if (pid == 0)
        fork_child(args);
    else
        process_restore_signals(mask);
    if (pid > 0)
        log_made((u32)pid);
    return pid;
}

/* Vfork */

static bool child_clears_handlers; /* for the next child of vfork */

void process_child_begins(struct thread *t)
{
    t->in_vfork = true;
    t->call.open = false;
    t->ends_in_log = false;
    signals_vfork_child();
    if (child_clears_handlers)
        clear_handlers();
}

static void vfork_begin(void)
{
    struct thread *t = thread_self();
    t->tid = (u32)kernel_call(__NR_gettid);
    process_child_begins(t);
    engine_run();
}

void process_put_aside(const struct thread *t, struct process_parent *parent)
{
    thread_save_registers(&parent->state);
    parent->tid = t->tid;
    parent->in_vfork = t->in_vfork;
    parent->clear_tid = t->clear_tid;
    parent->robust_list = t->robust_list;
    parent->call = t->call;
    parent->filters = t->filters;
    parent->filter_mode = t->filter_mode;
    memory_limits_keep(&parent->limits);
}

void process_put_back(struct thread *t, const struct process_parent *parent)
{
    t->call = parent->call;
    thread_take_baton(); /* the child had it, unless it was killed while it waited */
    log_runs(true);
    futex_forget(t);
    thread_load_registers(&parent->state);
    t->tid = parent->tid;
    t->in_vfork = parent->in_vfork;
    t->clear_tid = parent->clear_tid;
    t->robust_list = parent->robust_list;
    t->filters = parent->filters;
    t->filter_mode = parent->filter_mode;
    memory_limits_bring_back(&parent->limits);
}

/* Continues the parent after its call. The child may have ended in the same tick, so this counts as
 * a transfer by the engine. */
void process_parent_goes_on(void)
{
    ticks_add(1);
}

/* Makes the shared cpu the child's: it continues after the call. */
void process_become_child(const struct k_clone_args *args)
{
    cpu->reg[RAX] = 0;
    cpu->reg[RCX] = cpu->rip;
    cpu->reg[R11] = cpu->flags;
    set_stack(args);
    child_clears_handlers = args->flags & CLONE_CLEAR_SIGHAND;
}

/* Far enough below the caller's frames, so that the child does not overwrite them. */
static inline __attribute__((always_inline)) u64 stack_below(void)
{
    u64 rsp;
    __asm__ volatile("mov %%rsp, %0" : "=r"(rsp));
    return (rsp - STACK_GAP) & ~15ul;
}

static i64 vfork_process(const struct k_clone_args *args)
{
    struct thread *t = thread_self();
    struct process_parent parent;
    if (args->set_tid_size || (args->flags & CLONE_INTO_CGROUP))
        return -EINVAL;
    signals_vfork_begin(args->flags & K_CLONE_SIGHAND);
    if (t->signal_waiting) {
        signals_vfork_end();
        return CALL_AGAIN;
    }
    process_put_aside(t, &parent);
    log_vforked(args->flags);
    process_become_child(args);
    u64 flags = (args->flags & ~CLONE_CLEAR_SIGHAND) | args->exit_signal;
    u64 written = flags & K_CLONE_PIDFD ? args->pidfd : args->parent_tid;
    i64 pid = engine_clone(flags, stack_below(), written, args->child_tid, args->tls, vfork_begin);
    process_put_back(t, &parent);
    if (pid > 0 && !t->ends_in_log)
        log_vfork_killed();
    if (pid > 0)
        process_parent_goes_on();
    t->ends_in_log = true; /* the call of the thread that continues */
    signals_vfork_end();
    return pid;
}

/* The calls */

static i64 process_spawn(const struct k_clone_args *args)
{
    i64 result;
    if (log_spawned(args, &result))
        return result;
    release_ids(args);
    if (args->flags & K_CLONE_THREAD)
        return thread_clone(args);
    if (!(args->flags & K_CLONE_VM))
        return fork_process(args);
    return args->flags & K_CLONE_VFORK ? vfork_process(args) : thread_clone(args);
}

i64 process_clone(u64 flags, u64 stack, u64 parent_tid, u64 child_tid, u64 tls)
{
    struct k_clone_args args = {
        .flags = (u32)flags & ~(u64)CSIGNAL,
        .exit_signal = flags & CSIGNAL,
        .stack = stack,
        .parent_tid = parent_tid,
        .pidfd = flags & K_CLONE_PIDFD ? parent_tid : 0, /* they share an argument */
        .child_tid = child_tid,
        .tls = tls,
    };
    if ((flags & K_CLONE_PIDFD) && (flags & K_CLONE_PARENT_SETTID))
        return -EINVAL;
    return process_spawn(&args);
}

i64 process_fork(void)
{
    return process_clone(SIG_CHLD, 0, 0, 0, 0);
}

i64 process_vfork(void)
{
    return process_clone(K_CLONE_VM | K_CLONE_VFORK | SIG_CHLD, 0, 0, 0, 0);
}

/* If the structure is longer than the known one, the rest must be zero. */
static i64 read_clone_args(struct gaddr from, u64 size, struct k_clone_args *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (size < CLONE_ARGS_FIRST)
        return -EINVAL;
    if (size > 4096)
        return -E2BIG;
    if (!guest_read(ret, from, size < sizeof(*ret) ? size : sizeof(*ret)))
        return -EFAULT;
    for (u64 at = sizeof(*ret); at < size; at++) {
        u8 byte;
        if (!guest_read(&byte, gaddr(from.at + at), 1))
            return -EFAULT;
        if (byte)
            return -E2BIG;
    }
    return 0;
}

i64 process_clone3(struct gaddr from, u64 size)
{
    struct k_clone_args args;
    i64 failed = read_clone_args(from, size, &args);
    if (failed)
        return failed;
    bool alone = args.flags & (K_CLONE_THREAD | K_CLONE_PARENT); /* no signal is sent at its end */
    if ((args.flags & (CLONE_DETACHED | CSIGNAL)) || args.flags >= CLONE3_FLAGS_END ||
        args.exit_signal > SIG_LAST ||
        (alone && args.exit_signal) || !args.stack != !args.stack_size)
        return -EINVAL;
    return process_spawn(&args);
}

void process_leaves(void)
{
    if (observer.leaves && !thread_self()->in_vfork)
        observer.leaves();
}

_Noreturn void process_exit_group(int status)
{
    if (thread_is_apart())
        thread_exit_apart(status);
    process_leaves();
    log_ends(status, 0);
    if (!thread_self()->in_vfork)
        stats_print();
    for (;;)
        kernel_call(__NR_exit_group, status);
}
