/* Signals: from the kernel to the engine, and from the engine to the guest.
 *
 * All handlers installed in the kernel are the engine's. A signal from outside is noted in the
 * thread's block, all others are blocked until it was delivered, and translated code is
 * interrupted: the signal is delivered at the next block boundary. At a fault in translated code
 * the guest's state is recovered, and the cache is left by EXIT_FAULT.
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
/* The signals that are ignored and blocked when an image begins. */
struct signals_inherited {
    u64 ignored, mask;
};
void signals_ask_inherited(struct signals_inherited *ret);
void signals_start(const struct signals_inherited *inherited);
/* Called by every other thread itself, with t->mask set to its creator's: sets the kernel's
 * alternate stack and mask. */
void signals_thread_start(struct thread *t);

/* The guest's actions, of signal n + 1; the other function restores those of another engine
 * (replay). */
void signals_list_actions(struct k_sigaction ret[SIG_LAST]);
void signals_restore_actions(const struct k_sigaction actions[SIG_LAST]);

/* Returns the ignored signals and those with a handler, as sets. */
void signals_list_sets(u64 *ret_ignored, u64 *ret_caught);

/* Delivers a waiting signal, if there is one: changes cpu to the handler's first instruction (a
 * tick is counted), or ends the process. Engine context, baton held; called by the dispatcher
 * before it enters the cache. */
void signals_deliver(void);

/* Blocks all signals of this thread except those that its own instructions raise, since memory that
 * the engine reads may be missing. */
void signals_block_sent(void);

/* Gives the guest a synchronous signal at cpu's state: from EXIT_FAULT (thread_self()->fault_info)
 * or made by the engine. Ends the process if it is blocked or ignored, like the kernel. */
void signals_fault(const struct k_siginfo *info);
/* Gives the guest a signal that the kernel would force on it after a system call: it ends the
 * process if it is blocked or has no handler. A recording has it as one from outside. */
void signals_force(const struct k_siginfo *info);
/* Under a plan, signals_fault() and similar functions only note the signal, so that the pass can
 * stop before it. Returns which one waits (0: none). It must be delivered before anything else of
 * the thread happens. */
u32 signals_fault_waits(void);
void signals_deliver_fault(void);
void signals_raise(int signal, int code, u64 address);
/* The same for a certain processor exception, with its error code, which a frame shows. */
void signals_raise_exception(int signal, int code, u64 address, u64 trap, u64 error);

/* After a system call returned -EINTR because a signal is waiting: true if the call must be
 * restarted after the handler (SA_RESTART). */
bool signals_restarts(void);
/* True if the waiting signal will run a handler. If not, even calls that never restart (poll,
 * nanosleep) are made again. */
bool signals_will_handle(void);

/* The guest's calls */
i64 signals_action(int signal, struct gaddr action, struct gaddr old, u64 size);
i64 signals_mask(int how, struct gaddr set, struct gaddr old, u64 size);
i64 signals_altstack(struct gaddr stack, struct gaddr old);
i64 signals_suspend(struct gaddr set, u64 size);
/* The rest of the call, for a thread that has been waiting in one since before a snapshot
 * (replay). */
i64 signals_suspend_resumed(void);
i64 signals_pending(struct gaddr set, u64 size);
/* rt_sigtimedwait: returns a signal that the engine holds, because the kernel must not block its
 * kind; 0 if there is none: then ask the kernel. */
i64 signals_take_held(struct gaddr set, struct gaddr info, u64 size);
/* rt_sigreturn: changes all of cpu, vector state and mask; a tick is counted. */
void signals_return(void);

/* ppoll, pselect6, epoll_pwait: the call runs with `mask`, and the old one is restored after
 * delivery. The first sets the thread's (and the kernel's) mask and remembers the old one; the
 * second restores it, unless a signal is waiting (then signals_deliver does). */
void signals_mask_for_call(u64 mask);
void signals_mask_after_call(void);
/* The same if the kernel changes the mask as part of the call: *ret_kernel is the mask for the
 * kernel. False: a signal that the engine holds becomes unblocked. `interrupted`: the result of the
 * call is EINTR. */
bool signals_mask_in_call(u64 mask, u64 *ret_kernel);
void signals_mask_was_in_call(bool interrupted);

/* In the child of a fork: no signal is waiting. */
void signals_forked(void);

/* For a thread that the caller makes: it gets the caller's table of actions, or a copy. */
void signals_table_begin(struct thread *t, bool shares);
void signals_table_end(struct thread *t);

/* Called around a vfork, whose child runs on its parent's block and table of actions, while the
 * parent keeps the baton: begin in the parent before the call, child in the child, end in the
 * parent after it (also if it failed). `shares`: what the child does to actions stays. */
void signals_vfork_begin(bool shares);
void signals_vfork_child(void);
void signals_vfork_end(void);

/* Before execve: makes the kernel ignore the ignored signals, and sets the guest's real mask. The
 * call itself is made by engine_make_call() with &signal_waiting, so that no signal is lost; if it
 * was not made, it is made again after delivery. Undone by signals_exec_failed. */
void signals_exec(void);
void signals_exec_failed(void);

/* True if the default action dumps core. (The kernel decides whether there is a core file.) */
bool signals_dump_core(int signal);

/* Ends the process by `signal`, with the default action, as if the kernel had. */
_Noreturn void signals_die(const struct k_siginfo *info);
/* A process apart (thread.h) dies alone: the others keep the baton. In a replay it does not
 * return. */
void signals_leave_others(void);

#endif
