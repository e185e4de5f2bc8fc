/* Threads: the guest's clone() and exit().
 *
 * The kernel does what the guest requested for the thread (ids, fs base), since the kernel's thread
 * is the guest's in everything but its stack and its first instruction. But memory changes at its
 * end (the cleared word, robust futexes) are made by the engine while it has the baton, so that the
 * end of a thread becomes visible at a definite moment.
 *
 *   thread_clone --kernel--> thread_begin --takes the baton--> engine_run
 *                ... thread_exit --drops the block, hands the baton on--> thread_leave
 */
#include "engine/base/kernel.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/processes/process.h"
#include "engine/signals/signals.h"
#include "engine/threads/futex.h"
#include "engine/threads/filters.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/enter.h"

enum { ROBUST_HEAD = 24 }; /* size of struct robust_list_head, which the kernel requires */

void process_die_with_maker(bool on)
{
    enum { K_PR_SET_PDEATHSIG = 1 };
    kernel_call(__NR_prctl, K_PR_SET_PDEATHSIG, on ? SIG_KILL : 0);
}

static void thread_begin(void)
{
    struct thread *t = thread_self();
    t->tid = (u32)kernel_call(__NR_gettid);
    if (t->apart) /* the log belongs to its maker, and ends with it */
        process_die_with_maker(true);
    signals_thread_start(t);
    thread_take_baton();
    engine_run();
}

/* The child continues after the system call, with its own stack and the result 0. */
void thread_prepare(struct thread *t, const struct k_clone_args *args)
{
    const struct thread *parent = thread_self();
    thread_save_state(t);
    t->state.reg[RAX] = 0;
    t->state.reg[RCX] = cpu->rip;
    t->state.reg[R11] = cpu->flags;
    if (args->stack)
        t->state.reg[RSP] = args->stack + args->stack_size;
    if (args->flags & K_CLONE_SETTLS)
        t->state.fs_base = args->tls;
    memcpy(t->name, parent->name, sizeof(t->name));
    t->mask = parent->mask;
    t->forbidden = parent->forbidden;
    t->read_executes = parent->read_executes;
    filters_inherit(t, parent);
    t->altstack = (struct k_stack){.flags = K_SS_DISABLE};
    t->apart = parent->apart || !(args->flags & K_CLONE_THREAD);
    signals_table_begin(t, args->flags & K_CLONE_SIGHAND);
    if (args->flags & K_CLONE_CHILD_CLEARTID)
        t->clear_tid = gaddr(args->child_tid);
}

/* The kernel would write it when the new thread first runs, while this one continues; a failure is
 * not reported. */
static void note_child_tid(const struct k_clone_args *args, u32 tid)
{
    if (args->flags & K_CLONE_CHILD_SETTID)
        guest_write(gaddr(args->child_tid), &tid, sizeof(tid));
}

/* The kernel clears the word when a process apart has ended, for whatever reason. Its table of
 * handlers is separate in the kernel, so that it can be given a default action to die by. */
static i64 kernel_clone(struct thread *t, const struct k_clone_args *args)
{
    u64 flags = args->flags & ~(u64)(K_CLONE_CHILD_CLEARTID | K_CLONE_CHILD_SETTID);
    u64 written = flags & K_CLONE_PIDFD ? args->pidfd : args->parent_tid, cleared = args->child_tid;
    if (t->apart) {
        flags |= K_CLONE_CHILD_CLEARTID | args->exit_signal;
        cleared = (u64)&t->in_use;
        if (!(flags & K_CLONE_THREAD))
            flags &= ~(u64)K_CLONE_SIGHAND;
    }
    return engine_clone(flags, thread_stack_top(t), written, cleared, args->tls, thread_begin);
}

i64 thread_clone(const struct k_clone_args *args)
{
    struct thread *parent = thread_self();
    if (parent->in_vfork)
        return -EAGAIN; /* its threads would not follow the rules for borrowed memory */
    if (args->set_tid_size || args->flags >> 32)
        return -EINVAL; /* clone cannot express it */
    struct thread *t = thread_create();
    if (!t)
        return -EAGAIN;
    thread_prepare(t, args);
    thread_list_add(t);

    u64 mask = process_block_signals(); /* the child has no handler stack yet */
    t->in_use = 1;
    i64 tid = kernel_clone(t, args);
    process_restore_signals(mask);
    if (kernel_failed(tid)) {
        t->in_use = 0;
        signals_table_end(t);
        thread_list_drop(t);
    } else {
        t->tid = (u32)tid;
        note_child_tid(args, (u32)tid);
    }
    return tid;
}

/* All threads of a process apart end. */
_Noreturn void thread_exit_apart(int status)
{
    if (log_owner->live) {
        signals_leave_others();
        for (;;)
            kernel_call(__NR_exit_group, status);
    }
    thread_exit(status);
}

_Noreturn void thread_exit(int status)
{
    struct thread *t = thread_self();
    if (t->in_vfork || (threads.count == 1 && !t->apart)) {
        log_ends(status, 0);
        if (!t->in_vfork)
            stats_print();
        for (;;)
            kernel_call(__NR_exit, status);
    }
    if (log_owner->live)
        signals_block_sent(); /* no thread will be left to deliver them to */
    futex_thread_ends(t);
    if (log_owner->live) {
        kernel_call(__NR_set_robust_list, NULL, ROBUST_HEAD);
        kernel_call(__NR_set_tid_address, &t->in_use);
    }
    signals_table_end(t);
    thread_list_drop(t);
    log_thread_ended();
    thread_leave(status);
}
