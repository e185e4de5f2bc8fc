/* Signals: from the kernel to the engine, and from the engine to the guest.
 *
 * The kernel's handlers are the engine's.  A signal that comes from outside is noted in the
 * thread's block, all others blocked until it has been delivered, and translated code brought
 * back: it is delivered at the next block boundary.  A fault in translated code is turned back
 * into the guest's state and leaves the cache by EXIT_FAULT.
 *
 *   kernel -> handler --(outside, in cache)--> noted, ticks_expire ----> dispatch: signals_deliver
 *                     --(outside, in engine)-> noted, cpu->alarm ------> dispatch: signals_deliver
 *                     --(fault, in cache)----> recovered, EXIT_FAULT --> dispatch: signals_fault
 *                     --(fault, in guest_copy)-> guest_copy_faulted
 *                     --(fault, elsewhere)---> engine_stop
 */
#ifndef ENGINE_SIGNALS_H
#define ENGINE_SIGNALS_H

#include "engine/base/kernel_abi.h"
#include "engine/threads/thread.h"

/* On the first thread: installs the handlers, reads the actions and the mask inherited. */
/* What an image finds when it begins: signals that are ignored, and blocked. */
struct signals_inherited {
    u64 ignored, mask;
};
void signals_ask_inherited(struct signals_inherited *ret);
void signals_start(const struct signals_inherited *inherited);
/* On every other thread itself, t->mask being its creator's: the kernel's alternate stack, its
 * mask. */
void signals_thread_start(struct thread *t);

/* The guest's actions, of signal n + 1; and those that it had in another engine (replay). */
void signals_list_actions(struct k_sigaction ret[SIG_LAST]);
void signals_restore_actions(const struct k_sigaction actions[SIG_LAST]);

/* Those that are ignored and those that have a handler, as sets. */
void signals_list_sets(u64 *ret_ignored, u64 *ret_caught);

/* Delivers what waits, if anything does: changes cpu to the handler's first instruction (a tick is
 * counted), or ends the process.  Engine context, baton held; called by the dispatcher before it
 * enters the cache. */
void signals_deliver(void);

/* No signal reaches this thread but those that its own instructions raise: memory that the
 * engine looks at may be missing. */
void signals_block_sent(void);

/* Gives the guest a synchronous signal at cpu's state: from EXIT_FAULT (thread_self()->fault_info)
 * or made up by the engine.  Kills if it is blocked or ignored, as the kernel does. */
void signals_fault(const struct k_siginfo *info);
/* Under a plan, signals_fault() and its kin only note the signal, so that the pass can stand before
 * it: which one waits (0: none)? Before anything else of the thread happens it must be delivered.
 */
u32 signals_fault_waits(void);
void signals_deliver_fault(void);
void signals_raise(int signal, int code, u64 address);
/* The same as a certain exception of the processor's, with its error code: a frame shows them. */
void signals_raise_exception(int signal, int code, u64 address, u64 trap, u64 error);

/* After a system call answered -EINTR because a signal waits: shall the call be made again after
 * the handler (SA_RESTART)? */
bool signals_restarts(void);
/* Will the signal that waits run a handler?  Calls that never restart (poll, nanosleep) are made
 * again if not. */
bool signals_will_handle(void);

/* The guest's calls */
i64 signals_action(int signal, struct gaddr action, struct gaddr old, u64 size);
i64 signals_mask(int how, struct gaddr set, struct gaddr old, u64 size);
i64 signals_altstack(struct gaddr stack, struct gaddr old);
i64 signals_suspend(struct gaddr set, u64 size);
/* The rest of it, for a thread that waits in one since before a snapshot (replay). */
i64 signals_suspend_resumed(void);
i64 signals_pending(struct gaddr set, u64 size);
/* rt_sigtimedwait: a signal that the engine keeps, because the kernel must not block its kind; 0 if
 * there is none: then ask the kernel. */
i64 signals_take_held(struct gaddr set, struct gaddr info, u64 size);
/* rt_sigreturn: changes all of cpu, vector state, mask; a tick is counted. */
void signals_return(void);

/* ppoll, pselect6, epoll_pwait: the call runs with `mask`, and the old one comes back after
 * delivery.  The first makes it the thread's (and the kernel's) mask and remembers the old; the
 * second puts that back, unless a signal waits (then signals_deliver does). */
void signals_mask_for_call(u64 mask);
void signals_mask_after_call(void);
/* The same if the kernel is to change the mask, as part of the call: what it is given; false: a
 * signal that the engine keeps comes in.  `interrupted`: the call's answer is EINTR. */
bool signals_mask_in_call(u64 mask, u64 *ret_kernel);
void signals_mask_was_in_call(bool interrupted);

/* In the child of a fork: nothing waits. */
void signals_forked(void);

/* Around a vfork, whose child runs on its parent's block and table of actions, the parent keeping
 * the baton: begin in the parent before the call, child in the child, end in the parent after it
 * (also if it failed). */
void signals_vfork_begin(void);
void signals_vfork_child(void);
void signals_vfork_end(void);

/* Before execve: what is ignored is ignored by the kernel too, the mask really the guest's.  The
 * call itself is made by engine_make_call() with &signal_waiting, so that no signal is lost; if it
 * was not made, it is made again after delivery.  Undone by signals_exec_failed. */
void signals_exec(void);
void signals_exec_failed(void);

/* Does the default action dump core?  (Whether there is a core file is the kernel's affair.) */
bool signals_dump_core(int signal);

/* Ends the process by `signal`, with the default action, as if the kernel had. */
_Noreturn void signals_die(const struct k_siginfo *info);
/* A process apart (thread.h) dies alone: the others have the baton. In a replay it does not
 * return. */
void signals_leave_others(void);

#endif
