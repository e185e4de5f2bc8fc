/* The guest's own calls about signals.
 *
 * They use the guest's table, mask and alternate stack, check arguments in the kernel's order, and
 * update the kernel's side.
 */
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/guest_memory.h"
#include "engine/signals/signals_internal.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/signal_frame.h"

enum {
    K_SA_EXPOSE_TAGBITS = 0x800,
    K_MINSIGSTKSZ = 2048,
};

/* Other flags are cleared: this is how a program finds out which ones exist. */
#define KNOWN_FLAGS                                                                                \
    (K_SA_NOCLDSTOP | K_SA_NOCLDWAIT | K_SA_SIGINFO | K_SA_EXPOSE_TAGBITS | K_SA_RESTORER |        \
     K_SA_ONSTACK | K_SA_RESTART | K_SA_NODEFER | K_SA_RESETHAND)

/* True if the kernel need not be told. Programs swap handlers often. */
static bool same_for_kernel(const struct k_sigaction *a, const struct k_sigaction *b)
{
    u64 children = K_SA_NOCLDSTOP | K_SA_NOCLDWAIT;
    return a->handler > K_SIG_IGN && b->handler > K_SIG_IGN &&
           (a->flags & children) == (b->flags & children);
}

static void change_action(int signal, const struct k_sigaction *action)
{
    struct thread *t = thread_self();
    struct k_sigaction before = *signals_at(signal);
    *signals_at(signal) = *action;
    if (!same_for_kernel(&before, action))
        signals_set_kernel_action(signal);
    if (action->handler == K_SIG_IGN) /* an ignored signal does not stay pending */
        __atomic_and_fetch(&t->held, ~SIGNAL_BIT(signal), __ATOMIC_RELAXED);
}

void signals_list_actions(struct k_sigaction ret[SIG_LAST])
{
    memcpy(ret, signals.first.of + 1, SIG_LAST * sizeof(*ret));
}

void signals_list_sets(u64 *ret_ignored, u64 *ret_caught)
{
    *ret_ignored = *ret_caught = 0;
    for (int signal = 1; signal <= SIG_LAST; signal++) {
        if (signals_has_handler(signal))
            *ret_caught |= SIGNAL_BIT(signal);
        else if (signals_at(signal)->handler == K_SIG_IGN)
            *ret_ignored |= SIGNAL_BIT(signal);
    }
}

/* In a replay the kernel already has the engine's handlers, whatever the guest's are. */
void signals_restore_actions(const struct k_sigaction actions[SIG_LAST])
{
    memcpy(signals.first.of + 1, actions, SIG_LAST * sizeof(*actions));
}

i64 signals_action(int signal, struct gaddr action, struct gaddr old, u64 size)
{
    struct k_sigaction new;
    if (size != K_SIGSET)
        return -EINVAL;
    if (action.at && !guest_read(&new, action, sizeof(new)))
        return -EFAULT;
    if (signal < 1 || signal > SIG_LAST || (action.at && signals_is(signal, SIGNALS_UNBLOCKABLE)))
        return -EINVAL;
    struct k_sigaction before = *signals_at(signal);
    if (action.at) {
        new.flags &= KNOWN_FLAGS;
        new.mask &= ~SIGNALS_UNBLOCKABLE;
        change_action(signal, &new);
    }
    return !old.at || guest_write(old, &before, sizeof(before)) ? 0 : -EFAULT;
}

static bool combine(int how, u64 mask, u64 set, u64 *ret)
{
    switch (how) {
    case K_SIG_BLOCK:
        *ret = mask | set;
        return true;
    case K_SIG_UNBLOCK:
        *ret = mask & ~set;
        return true;
    case K_SIG_SETMASK:
        *ret = set;
        return true;
    default:
        return false;
    }
}

i64 signals_mask(int how, struct gaddr set, struct gaddr old, u64 size)
{
    struct thread *t = thread_self();
    u64 before = t->mask;
    if (size != K_SIGSET)
        return -EINVAL;
    if (set.at) {
        u64 bits, mask;
        if (!guest_read_u64(set, &bits))
            return -EFAULT;
        if (!combine(how, before, bits & ~SIGNALS_UNBLOCKABLE, &mask))
            return -EINVAL;
        signals_set_mask(t, mask);
    }
    return !old.at || guest_write(old, &before, sizeof(before)) ? 0 : -EFAULT;
}

static bool altstack_mode_valid(u32 mode)
{
    return mode == 0 || mode == K_SS_ONSTACK || mode == K_SS_DISABLE;
}

i64 signals_set_altstack(struct thread *t, const struct k_stack *stack)
{
    u32 mode = (u32)stack->flags & ~K_SS_AUTODISARM;
    if (signal_frame_on_altstack(&t->altstack, cpu->reg[RSP]))
        return -EPERM;
    if (!altstack_mode_valid(mode))
        return -EINVAL;
    if (mode == K_SS_DISABLE) {
        t->altstack = (struct k_stack){.flags = stack->flags};
        return 0;
    }
    if (stack->size < K_MINSIGSTKSZ)
        return -ENOMEM;
    t->altstack = (struct k_stack){.base = stack->base, .flags = stack->flags, .size = stack->size};
    return 0;
}

/* As the guest sees it: the flags tell whether it is in use. */
static struct k_stack altstack_shown(const struct thread *t)
{
    struct k_stack shown = t->altstack;
    u32 flags = (u32)shown.flags & K_SS_AUTODISARM;
    if (shown.size == 0)
        flags |= K_SS_DISABLE;
    else if (signal_frame_on_altstack(&t->altstack, cpu->reg[RSP]))
        flags |= K_SS_ONSTACK;
    shown.flags = (i32)flags;
    return shown;
}

i64 signals_altstack(struct gaddr stack, struct gaddr old)
{
    struct thread *t = thread_self();
    struct k_stack before = altstack_shown(t), new;
    if (stack.at) {
        if (!guest_read(&new, stack, sizeof(new)))
            return -EFAULT;
        i64 result = signals_set_altstack(t, &new);
        if (result < 0)
            return result;
    }
    return !old.at || guest_write(old, &before, sizeof(before)) ? 0 : -EFAULT;
}

i64 signals_pending(struct gaddr set, u64 size)
{
    struct thread *t = thread_self();
    u64 pending = 0;
    if (size > K_SIGSET)
        return -EINVAL;
    kernel_call(__NR_rt_sigpending, &pending, K_SIGSET);
    /* While a signal is waiting the kernel blocks more than the guest does. */
    pending = (pending | t->held) & t->mask;
    return guest_write(set, &pending, size) ? 0 : -EFAULT;
}

i64 signals_take_held(struct gaddr set, struct gaddr info, u64 size)
{
    struct thread *t = thread_self();
    struct k_siginfo found;
    u64 wanted;
    if (!t->held || size != K_SIGSET || !guest_read_u64(set, &wanted))
        return 0;
    int signal = signals_first_held(t, wanted);
    if (signal == 0)
        return 0;
    signals_unhold(t, signal, &found);
    return !info.at || guest_write(info, &found, sizeof(found)) ? signal : -EFAULT;
}

void signals_mask_for_call(u64 mask)
{
    struct thread *t = thread_self();
    t->mask_restore = t->mask;
    t->mask_restore_waits = true;
    signals_set_mask(t, mask);
}

void signals_mask_after_call(void)
{
    struct thread *t = thread_self();
    if (t->signal_waiting || !t->mask_restore_waits)
        return;
    t->mask_restore_waits = false;
    signals_set_mask(t, t->mask_restore);
}

bool signals_mask_in_call(u64 mask, u64 *ret_kernel)
{
    struct thread *t = thread_self();
    if (t->held & ~mask)
        return false;
    t->mask_restore = t->mask;
    t->mask_restore_waits = true;
    t->mask = mask & ~SIGNALS_UNBLOCKABLE;
    *ret_kernel = mask & ~SIGNALS_SYNCHRONOUS;
    return true;
}

void signals_mask_was_in_call(bool interrupted)
{
    struct thread *t = thread_self();
    if (interrupted && t->signal_waiting)
        return;
    t->mask_restore_waits = false;
    t->mask = t->mask_restore;
}

static void wait_for_signal(struct thread *t)
{
    u64 none[6] = {0};
    if (log_wait_ended())
        return;
    thread_give_baton();
    while (!t->signal_waiting)
        engine_make_call(__NR_pause, none, &t->signal_waiting);
    thread_take_baton();
}

/* Only a handler ends the wait; signals without one are handled here. */
static i64 suspend_until_handled(struct thread *t, u64 mask)
{
    wait_for_signal(t);
    while (!signals_will_handle()) {
        signals_deliver(); /* restores the mask */
        signals_mask_for_call(mask);
        wait_for_signal(t);
    }
    return -EINTR;
}

i64 signals_suspend(struct gaddr set, u64 size)
{
    struct thread *t = thread_self();
    u64 mask;
    if (size != K_SIGSET)
        return -EINVAL;
    if (!guest_read_u64(set, &mask))
        return -EFAULT;
    signals_mask_for_call(mask);
    return suspend_until_handled(t, mask);
}

i64 signals_suspend_resumed(void)
{
    return suspend_until_handled(thread_self(), thread_self()->mask);
}

bool signals_will_handle(void)
{
    int signal = signals_next(thread_self());
    return signal && signals_has_handler(signal);
}

bool signals_restarts(void)
{
    int signal = signals_next(thread_self());
    return !signal || !signals_has_handler(signal) ||
           (signals_at(signal)->flags & K_SA_RESTART);
}
