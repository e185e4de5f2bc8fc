/* What the files of the signals share. */
#ifndef ENGINE_SIGNALS_INTERNAL_H
#define ENGINE_SIGNALS_INTERNAL_H

#include "engine/signals/signals.h"
#include "engine/threads/thread.h"

/* Signals that an instruction can cause. The kernel must always be able to deliver them: it kills a
 * process whose fault is blocked. */
#define SIGNALS_SYNCHRONOUS                                                                        \
    (SIGNAL_BIT(SIG_SEGV) | SIGNAL_BIT(SIG_BUS) | SIGNAL_BIT(SIG_FPE) | SIGNAL_BIT(SIG_ILL) |      \
     SIGNAL_BIT(SIG_TRAP))
#define SIGNALS_UNBLOCKABLE (SIGNAL_BIT(SIG_KILL) | SIGNAL_BIT(SIG_STOP))
#define SIGNALS_ALL_ASYNCHRONOUS (~SIGNALS_SYNCHRONOUS)

enum { CODE_KERNEL = 0x80 }; /* si_code of a signal that the kernel does not explain */
enum { K_SIG_BLOCK, K_SIG_UNBLOCK, K_SIG_SETMASK };
enum { K_SIGSET = 8 }; /* bytes */

/* The guest's actions. */
struct signals_table {
    struct k_sigaction of[SIG_LAST + 1]; /* [0] is not used */
    u32 threads;                         /* that use it; not counted in the first table */
    struct signals_table *next;          /* in the list of unused ones */
};

extern struct signals_state {
    struct signals_table first;          /* the process's */
    struct signals_table *unused_tables; /* for processes apart that share none (thread.h) */
    struct signals_saved *unused;        /* linked by `outer`: for the next child of vfork */
} signals;

static inline struct signals_table *signals_table(void)
{
    struct signals_table *own = thread_self()->actions;
    return own ? own : &signals.first;
}

static inline struct k_sigaction *signals_at(int signal)
{
    return &signals_table()->of[signal];
}

static inline bool signals_is(int signal, u64 set)
{
    return SIGNAL_BIT(signal) & set;
}

static inline bool signals_has_handler(int signal)
{
    return signals_at(signal)->handler > K_SIG_IGN;
}

/* The kernel's handler for everything (signals_handler.c). */
void signals_handler(int signal, const struct k_siginfo *info, struct k_ucontext *context);

/* Gives the kernel the action that corresponds to the guest's. */
void signals_set_kernel_action(int signal);

/* Sets the guest's and the kernel's mask; a signal that it unblocks may be waiting at once. */
void signals_set_mask(struct thread *t, u64 mask);
/* Sets the kernel's mask to t->mask, unless a signal is waiting. */
void signals_apply_mask(struct thread *t);
/* Sends the signal to the calling thread, unchanged. */
void signals_send_self(const struct k_siginfo *info);

/* Returns the first held signal of `set`, or 0; the second function also releases it. */
int signals_first_held(const struct thread *t, u64 set);
void signals_unhold(struct thread *t, int signal, struct k_siginfo *ret);

/* The signal that signals_deliver() takes next; 0: none. */
int signals_next(const struct thread *t);
/* sigaltstack() as far as it changes the stack. */
i64 signals_set_altstack(struct thread *t, const struct k_stack *stack);

#endif
