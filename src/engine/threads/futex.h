/* Futexes that the engine handles: all those on memory that no other process shares. */
#ifndef ENGINE_FUTEX_H
#define ENGINE_FUTEX_H

#include "engine/threads/thread.h"

/* True if the engine handles this futex(); otherwise the kernel does. The arguments are those of
 * the system call. */
bool futex_is_ours(const u64 args[6]);
/* Returns the result, or CALL_AGAIN (syscalls_internal.h). The baton may have been given away in
 * between. */
i64 futex_call(const u64 args[6]);

/* The newer calls: true if the engine handles it, as a futex() with the arguments in `ret`. */
bool futex_wait_again(const u64 args[6], u64 ret[6]);
bool futex_wake_again(const u64 args[6], u64 ret[6]);
bool futex_requeue_again(const u64 args[6], u64 ret[6]);
/* futex_waitv: true if the engine has handled it. */
bool futex_wait_vector(const u64 args[6], i64 *result);

/* Does what the kernel does at the end of a thread: priority-inheritance locks go to the next
 * waiter, robust locks are marked that their owner died, the word that the guest named is cleared,
 * and its waiters are woken. Needs the baton; the thread's guest memory is not used afterwards. */
void futex_thread_ends(struct thread *t);

/* The same for a process: other processes may share robust locks of any of its threads. */
void futex_process_ends(const struct thread *t);
/* Visits the words of the first robust locks that t holds, or is about to take or release. */
void futex_each_robust(const struct thread *t, void (*visit)(u64 word));

/* In the child of a fork: no thread waits. */
void futex_forked(void);
/* A child of vfork was killed while it waited on the block, which is t's again. */
void futex_forget(struct thread *t);

#endif
