/* Signal frames: the guest's state on its stack while a handler runs.
 *
 * Laid out exactly as the kernel does it, because programs read and change it: they walk the
 * stack through it, mend faults in it, switch contexts with it.
 */
#ifndef ENGINE_FRAME_H
#define ENGINE_FRAME_H

#include "engine/base/kernel_abi.h"
#include "engine/threads/thread.h"

struct signal_frame_request {
    const struct k_siginfo *info;
    const struct k_sigaction *action;
    u64 mask;   /* to be the thread's again when the handler returns */
    bool fault; /* the instruction at rip has not been done and will be tried again */
};

/* Writes the frame and sets cpu and vector state to the handler's first instruction.  False, and
 * the state is as before, if there is no room for it. */
bool signal_frame_build(struct thread *t, const struct signal_frame_request *request);

/* What rt_sigreturn does to cpu and vector state; the mask and alternate stack of the frame are
 * for the caller.  False if it cannot be read or the processor would refuse it. */
bool signal_frame_take_down(struct thread *t, u64 *ret_mask, struct k_stack *ret_stack);

/* Where the frame of a handler with these flags (SA_*) will be, which is rsp there; 0: there is
 * no room. */
u64 signal_frame_at(const struct thread *t, u64 flags);

/* Does `rsp` stand on the alternate stack?  (Not if that disarms itself when it is used.) */
bool signal_frame_on_altstack(const struct k_stack *stack, u64 rsp);

#endif
