/* Processes: fork, vfork, execve, exit. */
#ifndef ENGINE_PROCESS_H
#define ENGINE_PROCESS_H

#include "engine/base/kernel_abi.h"
#include "engine/memory/memory_limits.h"
#include "engine/threads/thread.h"

/* Keeps a descriptor of the engine's own file, for execve. Called once, at the start. `started_as`:
 * AT_EXECFN. */
void process_start(const char *started_as);

i64 process_fork(void);
i64 process_vfork(void);
i64 process_clone(u64 flags, u64 stack, u64 parent_tid, u64 child_tid, u64 tls);
i64 process_clone3(struct gaddr args, u64 size);
i64 process_execve(struct gaddr path, struct gaddr argv, struct gaddr envp);
i64 process_execveat(i64 fd, struct gaddr path, struct gaddr argv, struct gaddr envp, u64 flags);
/* Prints the stats if requested. */
/* This process is about to end or to run another program, unless it only borrows its memory. */
void process_leaves(void);
_Noreturn void process_exit_group(int status);

/* Whether a debugger that is itself a guest traces this process. The tracer is noted at the
 * start. */
void process_note_tracer(void);
bool process_is_debugged(void);

/* Blocks all signals of the calling kernel thread, for code in which no handler may run; returns
 * the mask to restore. */
u64 process_block_signals(void);
void process_restore_signals(u64 mask);

/* For units that make children in another way: a replay runs a child in place of its parent. */

/* The parts of a thread that its child of vfork replaces. */
struct process_parent {
    struct thread_state state;
    struct thread_call call;
    u32 tid;
    bool in_vfork;
    struct gaddr clear_tid, robust_list;
    const struct filter *filters;
    u8 filter_mode;
    struct memory_limits_kept limits;
};
void process_put_aside(const struct thread *t, struct process_parent *parent);
void process_put_back(struct thread *t, const struct process_parent *parent);
/* Continues the parent after its call. The child may have ended in the same tick, so this counts as
 * a transfer by the engine. */
void process_parent_goes_on(void);

/* Makes the shared cpu the child's: it continues after the call. */
void process_become_child(const struct k_clone_args *args);
/* The child begins, on its parent's block. */
void process_child_begins(struct thread *t);
/* Makes this process a child of fork, in a recording or in a replay. */
void process_become_forked(const struct k_clone_args *args);

/* A process apart (thread.h) is killed when its maker ends; not if it becomes another image. */
void process_die_with_maker(bool on);

/* True if that is the number of this process, or of one of its threads. */
bool process_is_own(u64 number);

#endif
