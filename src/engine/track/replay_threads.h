/* Threads in a replay: contexts on a single kernel thread, switched where the log says.
 *
 * Each has its block with its own engine stack, as when it was recorded. A switch saves the state
 * of the running thread in its block and continues on the other's stack, where that one stopped. So
 * a fork of the replaying process is a complete copy.
 */
#ifndef ENGINE_REPLAY_THREADS_H
#define ENGINE_REPLAY_THREADS_H

#include "engine/base/kernel_abi.h"

struct thread;

/* The guest's clone() returned `tid` in the recording. */
void replay_thread_create(const struct k_clone_args *args, u32 tid);
/* Continues as the thread with this ordinal; returns when the log has switched back. */
void replay_switch_to(u32 ordinal);
/* Prepares a thread whose block is filled in: it starts at `begin`, on its own stack, when the log
 * switches to it. */
void replay_thread_prepare(struct thread *t, void (*begin)(void));
/* Continues only as this thread, from its stack. */
_Noreturn void replay_thread_become(struct thread *t);
/* Continues with the guest's state in cpu, dropping everything that the engine was doing. */
_Noreturn void replay_thread_restart(void);

#endif
