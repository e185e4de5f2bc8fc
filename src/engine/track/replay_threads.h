/* Threads in a replay: contexts on a single kernel thread, switched where the log says.
 *
 * Each has its block with an engine stack of its own, as when it was recorded; a switch saves the
 * running one's state in its block and goes on, on the other's stack, where that one stopped.  So a
 * fork of the replaying process is a complete copy.
 */
#ifndef ENGINE_REPLAY_THREADS_H
#define ENGINE_REPLAY_THREADS_H

#include "engine/base/kernel_abi.h"

struct thread;

/* The guest's clone() answered `tid` in the recording. */
void replay_thread_create(const struct k_clone_args *args, u32 tid);
/* Goes on as the thread with this ordinal; returns when the log has switched back. */
void replay_switch_to(u32 ordinal);
/* A thread whose block is filled in: it begins there, on its own stack, when the log switches to
 * it. */
void replay_thread_prepare(struct thread *t, void (*begin)(void));
/* Continues as this thread, and as no other, from its stack. */
_Noreturn void replay_thread_become(struct thread *t);
/* Goes on with the guest as cpu has it, and with nothing of what the engine was at. */
_Noreturn void replay_thread_restart(void);

#endif
