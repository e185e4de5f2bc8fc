/* Signal frames: the guest's state on its stack while a handler runs.
 *
 * The layout is exactly the kernel's, because programs read and change frames: they walk the stack
 * through them, repair faults in them, and switch contexts with them.
 */
#ifndef ENGINE_FRAME_H
#define ENGINE_FRAME_H

#include "engine/base/kernel_abi.h"
#include "engine/threads/thread.h"

struct signal_frame_request {
    const struct k_siginfo *info;
    const struct k_sigaction *action;
    u64 mask;   /* the thread's mask after the handler returns */
    bool fault; /* the instruction at rip was not executed and will be tried again */
};

/* Writes the frame and sets cpu and vector state to the handler's first instruction. False, and
 * nothing is changed, if there is no room for it. */
bool signal_frame_build(struct thread *t, const struct signal_frame_request *request);

/* Applies rt_sigreturn to cpu and vector state; the caller handles the mask and alternate stack of
 * the frame. False if it cannot be read or the processor would refuse it. */
bool signal_frame_take_down(struct thread *t, u64 *ret_mask, struct k_stack *ret_stack);

/* Returns the address of the frame, which is rsp, for a handler with these flags (SA_*); 0: there
 * is no room. */
u64 signal_frame_at(const struct thread *t, u64 flags);

/* True if `rsp` is on the alternate stack. (Not if the stack disarms itself when it is used.) */
bool signal_frame_on_altstack(const struct k_stack *stack, u64 rsp);

#endif
