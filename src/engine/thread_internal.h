/* What the files of the threads share. */
#ifndef ENGINE_THREAD_INTERNAL_H
#define ENGINE_THREAD_INTERNAL_H

#include "engine/thread.h"

/* The list of all threads, and thread_count.  A block that was dropped is given out
 * again when its kernel thread has ended. */
void thread_list_add(struct thread *t);
void thread_list_drop(struct thread *t);

/* Ends the calling kernel thread, handing the baton on.  Its block has been dropped. */
_Noreturn void thread_leave(int status);

/* Everything of the running guest thread, from cpu and the processor, into a block. */
void thread_save_state(struct thread *t);
/* fs and gs base of the running one. */
void thread_save_bases(struct thread_state *state);

/* A new thread's first state: as clone() says, behind the call. */
void thread_prepare(struct thread *t, const struct k_clone_args *args);
/* The thread with this number in the log; NULL: none. */
struct thread *thread_with_ordinal(u32 ordinal);
/* cpu <-> state, general registers only. */
void thread_save_registers(struct thread_state *state);
void thread_load_registers(const struct thread_state *state);

#endif
