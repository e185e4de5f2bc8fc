/* Signals: from the engine to the guest.
 *
 * The table of actions is the guest's. In the kernel, the engine's handler is installed wherever
 * the guest has one; otherwise the guest's default or ignore, which the kernel does best. Two kinds
 * of signals are delivered here: those that signals_handler.c noted, and those that an instruction
 * of the guest has caused.
 *
 * Invariants
 *   (1) The kernel's mask is t->mask without the synchronous signals, or everything but those while
 *       a signal is waiting. engine_make_call() sets it, unless a signal has come in the meantime:
 *       then signals_deliver() sets it later.
 *
 * A waiting signal is delivered even if a call of the guest has blocked it since, because it came
 * before that. If a fault's handler blocks it, it is sent to the kernel again.
 */
#include "engine/signals/signals.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/pool.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/areas.h"
#include "engine/signals/signals_internal.h"
#include "engine/threads/futex.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/signal_frame.h"
#include "engine/x86_64/vector.h"
#include "log/format.h"

#define IGNORED_BY_DEFAULT                                                                         \
    (SIGNAL_BIT(SIG_CHLD) | SIGNAL_BIT(SIG_CONT) | SIGNAL_BIT(SIG_URG) | SIGNAL_BIT(SIG_WINCH))
/* Signals whose default action does not end the process: ignored, or stopping; and those that
 * cannot be caught. */
#define NOT_ENDING                                                                                 \
    (IGNORED_BY_DEFAULT | SIGNAL_BIT(SIG_STOP) | SIGNAL_BIT(SIG_TSTP) | SIGNAL_BIT(SIG_TTIN) |     \
     SIGNAL_BIT(SIG_TTOU) | SIGNAL_BIT(SIG_CONT) | SIGNAL_BIT(SIG_KILL))

struct signals_state signals;

/* The order in which the kernel takes synchronous signals that were sent: by number. */
static const u8 synchronous[] = {SIG_ILL, SIG_TRAP, SIG_BUS, SIG_FPE, SIG_SEGV};

/* The kernel's side */

static void set_kernel_handler(int signal, u64 handler, u64 flags)
{
    struct k_sigaction action = {
        .handler = handler,
        .flags = flags | K_SA_RESTORER,
        .restorer = (u64)engine_restorer,
        .mask = SIGNALS_ALL_ASYNCHRONOUS, /* so that a fault in the handler is reported */
    };
    kernel_call(__NR_rt_sigaction, signal, &action, 0, K_SIGSET);
}

/* A recording has the moment at which a signal ends the program, so the engine must see the signal
 * first. */
static bool signals_watches_end(int signal)
{
    return log_owner->sees_end && signals_at(signal)->handler == K_SIG_DFL &&
           !signals_is(signal, NOT_ENDING);
}

void signals_set_kernel_action(int signal)
{
    const struct k_sigaction *action = signals_at(signal);
    u64 children = action->flags & (K_SA_NOCLDSTOP | K_SA_NOCLDWAIT);
    bool synchronous_kind = signals_is(signal, SIGNALS_SYNCHRONOUS);
    if (!log_owner->live && !synchronous_kind)
        return; /* signals come from the log; real ones are for ending the replay */
    if (synchronous_kind || signals_has_handler(signal) || signals_watches_end(signal))
        set_kernel_handler(signal, (u64)signals_handler, K_SA_SIGINFO | K_SA_ONSTACK | children);
    else
        set_kernel_handler(signal, action->handler, children);
}

static void set_kernel_mask(u64 mask)
{
    if (!log_owner->live)
        return; /* signals sent to a replay are for the replay, not for the program */
    kernel_call(__NR_rt_sigprocmask, K_SIG_SETMASK, &mask, 0, K_SIGSET);
}

void signals_block_sent(void)
{
    set_kernel_mask(SIGNALS_ALL_ASYNCHRONOUS);
}

/* Unless a signal is waiting. */
static void offer_kernel_mask(struct thread *t, u64 mask)
{
    u64 args[6] = {K_SIG_SETMASK, (u64)&mask, 0, K_SIGSET};
    if (!log_owner->live)
        return;
    engine_make_call(__NR_rt_sigprocmask, args, &t->signal_waiting);
}

void signals_apply_mask(struct thread *t)
{
    if (t->held & ~t->mask) {
        signals_block_sent();
        t->signal_waiting = true;
    }
    offer_kernel_mask(t, t->mask & ~SIGNALS_SYNCHRONOUS);
}

void signals_set_mask(struct thread *t, u64 mask)
{
    mask &= ~SIGNALS_UNBLOCKABLE;
    if (mask == t->mask && !t->held)
        return;
    t->mask = mask;
    signals_apply_mask(t);
}

void signals_send_self(const struct k_siginfo *info)
{
    kernel_call(__NR_rt_tgsigqueueinfo, kernel_call(__NR_getpid), kernel_call(__NR_gettid),
                info->signal, info);
}

/* Start */

void signals_ask_inherited(struct signals_inherited *ret)
{
    ret->ignored = 0;
    for (int signal = 1; signal <= SIG_LAST; signal++) {
        struct k_sigaction action = {0};
        kernel_call(__NR_rt_sigaction, signal, 0, &action, K_SIGSET);
        if (action.handler == K_SIG_IGN)
            ret->ignored |= SIGNAL_BIT(signal);
    }
    kernel_call(__NR_rt_sigprocmask, K_SIG_SETMASK, 0, &ret->mask, K_SIGSET);
}

void signals_start(const struct signals_inherited *inherited)
{
    struct thread *t = thread_self();
    for (int signal = 1; signal <= SIG_LAST; signal++)
        if (signals_is(signal, inherited->ignored))
            signals_at(signal)->handler = K_SIG_IGN;
    t->mask = inherited->mask;
    signals_thread_start(t);
    for (int signal = 1; signal <= SIG_LAST; signal++)
        if (signals_is(signal, SIGNALS_SYNCHRONOUS) || signals_watches_end(signal))
            signals_set_kernel_action(signal);
}

void signals_thread_start(struct thread *t)
{
    struct k_stack stack = {.base = thread_handler_stack(t), .size = THREAD_HANDLER_STACK};
    kernel_call(__NR_sigaltstack, &stack, 0);
    t->altstack = (struct k_stack){.flags = K_SS_DISABLE};
    signals_apply_mask(t);
}

/* The end */

bool signals_dump_core(int signal)
{
    u64 dumping = SIGNALS_SYNCHRONOUS | SIGNAL_BIT(SIG_QUIT) | SIGNAL_BIT(SIG_ABRT) |
                  SIGNAL_BIT(SIG_XCPU) | SIGNAL_BIT(SIG_XFSZ) | SIGNAL_BIT(SIG_SYS);
    return signal && signals_is(signal, dumping);
}

void signals_leave_others(void)
{
    struct thread *t = thread_self();
    if (log_owner->live)
        signals_block_sent();
    futex_thread_ends(t);
    signals_table_end(t);
    thread_list_drop(t);
    log_thread_ended();
    thread_leave_line();
}

/* An init process cannot kill itself by a signal; it ends with a status instead. */
_Noreturn void signals_die(const struct k_siginfo *info)
{
    bool raised = info->code > 0 && signals_is(info->signal, SIGNALS_SYNCHRONOUS);
    log_signal(&(struct log_signal){.info = info, .fate = SIGNAL_DIED, .synchronous = raised});
    thread_self()->ends_in_log = true;
    if (observer.leaves && !thread_self()->in_vfork && !thread_self()->apart)
        observer.leaves();
    if (thread_is_apart())
        signals_leave_others();
    else
        log_ends(0, info->signal);
    if (!thread_self()->in_vfork && !thread_self()->apart)
        stats_print();
    signals_block_sent();
    set_kernel_handler(info->signal, K_SIG_DFL, 0);
    signals_send_self(info);
    set_kernel_mask(~SIGNAL_BIT(info->signal));
    for (;;)
        kernel_call(__NR_exit_group, 128 + info->signal);
}

static _Noreturn void die_unexplained(int signal)
{
    signals_die(&(struct k_siginfo){.signal = signal, .code = CODE_KERNEL});
}

/* Delivery */

static void reset_action(int signal)
{
    signals_at(signal)->handler = K_SIG_DFL;
    signals_set_kernel_action(signal);
}

/* Sets the mask and the alternate stack for the handler. */
static void after_frame(struct thread *t, int signal, const struct k_sigaction *action)
{
    t->mask_restore_waits = false;
    if ((u32)t->altstack.flags & K_SS_AUTODISARM)
        t->altstack = (struct k_stack){.flags = K_SS_DISABLE};
    u64 mask = t->mask | action->mask;
    if (!(action->flags & K_SA_NODEFER))
        mask |= SIGNAL_BIT(signal);
    t->mask = mask & ~SIGNALS_UNBLOCKABLE;
    ticks_add(1);
}

static void log_handled(const struct thread *t, const struct k_siginfo *info, bool raised)
{
    const struct k_sigaction *action = signals_at(info->signal);
    log_signal(&(struct log_signal){info, SIGNAL_HANDLED, raised, action->handler,
                                    signal_frame_at(t, action->flags)});
}

/* If there is no room for a frame, SIGSEGV is raised; if that has no room either, the process
 * ends. */
static void run_handler(struct thread *t, const struct k_siginfo *info, bool fault)
{
    struct k_sigaction action = *signals_at(info->signal);
    struct signal_frame_request request = {
        .info = info,
        .action = &action,
        .mask = t->mask_restore_waits ? t->mask_restore : t->mask,
        .fault = fault,
    };
    if (action.flags & K_SA_RESETHAND)
        reset_action(info->signal);
    if (signal_frame_build(t, &request))
        after_frame(t, info->signal, &action);
    else if (info->signal == SIG_SEGV)
        die_unexplained(SIG_SEGV);
    else
        signals_raise(SIG_SEGV, CODE_KERNEL, 0);
}


/* The guest removed its handler after the signal was noted, or it is one that the engine always
 * gets. */
static void do_without_handler(const struct k_siginfo *info)
{
    int signal = info->signal;
    if (signals_at(signal)->handler == K_SIG_IGN || signals_is(signal, IGNORED_BY_DEFAULT)) {
        log_signal(&(struct log_signal){.info = info, .fate = SIGNAL_IGNORED});
        return;
    }
    if (log_outlives((u32)signal))
        return;
    if (signals_is(signal, SIGNALS_SYNCHRONOUS) || signals_watches_end(signal))
        signals_die(info);
    signals_send_self(info); /* the kernel has the default action and stops or ends the process */
}

int signals_first_held(const struct thread *t, u64 set)
{
    for (size_t i = 0; i < countof(synchronous); i++) {
        if (signals_is(synchronous[i], t->held & set))
            return synchronous[i];
    }
    return 0;
}

void signals_unhold(struct thread *t, int signal, struct k_siginfo *ret)
{
    *ret = t->held_info[signal];
    __atomic_and_fetch(&t->held, ~SIGNAL_BIT(signal), __ATOMIC_RELAXED);
}

int signals_next(const struct thread *t)
{
    return t->waiting_info.signal ? t->waiting_info.signal : signals_first_held(t, ~t->mask);
}

/* Takes the next noted signal. A handler's mask may block a held one. */
static bool take_next(struct thread *t, struct k_siginfo *ret)
{
    int signal = signals_next(t);
    if (signal == 0)
        return false;
    if (t->waiting_info.signal) {
        *ret = t->waiting_info;
        t->waiting_info.signal = 0;
    } else {
        signals_unhold(t, signal, ret);
    }
    return true;
}

/* Called when no signal is waiting any more. */
static void restore_mask(struct thread *t)
{
    if (t->mask_restore_waits) {
        t->mask_restore_waits = false;
        t->mask = t->mask_restore;
    }
    signals_apply_mask(t);
}

/* Done only now and then, since it takes a system call. A signal may come meanwhile and change the
 * kernel's mask. */
static void check_mask(const struct thread *t)
{
    enum { EVERY = 16 };
    u64 mask = t->mask & ~SIGNALS_SYNCHRONOUS;
    if (log_owner->live && ticks_now() % EVERY == 0)
        kernel_call(__NR_rt_sigprocmask, K_SIG_SETMASK, 0, &mask, K_SIGSET);
    __asm__ volatile("" : : : "memory");
    invariant(1, t->signal_waiting || mask == (t->mask & ~SIGNALS_SYNCHRONOUS));
}

void signals_deliver(void)
{
    struct thread *t = thread_self();
    while (t->signal_waiting) {
        struct k_siginfo info;
        t->signal_waiting = false;
        __asm__ volatile("" : : : "memory"); /* later signals must be seen by the loop */
        while (take_next(t, &info)) {
            if (signals_has_handler(info.signal)) {
                log_handled(t, &info, false);
                run_handler(t, &info, false);
            } else {
                do_without_handler(&info);
            }
        }
        restore_mask(t); /* and the next may come */
        check_mask(t);
    }
}

void signals_force(const struct k_siginfo *info)
{
    struct thread *t = thread_self();
    if (signals_is(info->signal, t->mask) || !signals_has_handler(info->signal))
        signals_die(info);
    signals_block_sent();
    if (t->waiting_info.signal)
        signals_send_self(&t->waiting_info); /* it comes afterwards */
    t->waiting_info = *info;
    t->signal_waiting = true;
}

/* Faults */

/* The kernel blocks all signals now. */
static void hand_back_waiting(struct thread *t)
{
    if (t->waiting_info.signal && signals_is(t->waiting_info.signal, t->mask)) {
        signals_send_self(&t->waiting_info);
        t->waiting_info.signal = 0;
        t->signal_waiting = false;
    }
}

static void deliver_fault(struct thread *t, const struct k_siginfo *info)
{
    int signal = info->signal;
    bool fatal = signals_is(signal, t->mask) || !signals_has_handler(signal);
    if (fatal && log_outlives((u32)signal))
        return;
    if (fatal)
        signals_die(info);
    log_handled(t, info, true);
    run_handler(t, info, signal != SIG_TRAP);
    hand_back_waiting(t);
    signals_apply_mask(t);
}

void signals_fault(const struct k_siginfo *info)
{
    struct thread *t = thread_self();
    if (!observer.holds_faults || !observer.holds_faults()) {
        deliver_fault(t, info);
        return;
    }
    if (info != &t->fault_info)
        t->fault_info = *info;
    t->fault_waits = true;
}

u32 signals_fault_waits(void)
{
    const struct thread *t = thread_self();
    return t->fault_waits ? (u32)t->fault_info.signal : 0;
}

void signals_deliver_fault(void)
{
    struct thread *t = thread_self();
    t->fault_waits = false;
    deliver_fault(t, &t->fault_info);
}

enum { /* what the processor would have given the kernel */
    TRAP_DEBUG = 1,
    TRAP_BREAKPOINT = 3,
    TRAP_INVALID = 6,
    TRAP_PROTECTION = 13,
    TRAP_PAGE_FAULT = 14,
    ERROR_PRESENT = 1,
    ERROR_WRITE = 2,
    ERROR_USER = 4,
    ERROR_FETCH = 16,
    CODE_ACCERR = 2,
    LONGEST_INSTRUCTION = 15,
};

static u64 trap_number(int signal, int code)
{
    switch (signal) {
    case SIG_TRAP:
        return code == CODE_KERNEL ? TRAP_BREAKPOINT : TRAP_DEBUG;
    case SIG_ILL:
        return TRAP_INVALID;
    case SIG_FPE:
        return 0;
    default:
        return code == CODE_KERNEL ? TRAP_PROTECTION : TRAP_PAGE_FAULT;
    }
}

static void explain_page_fault(struct thread *t, const struct k_siginfo *info)
{
    bool fetch = info->address - cpu->rip < LONGEST_INSTRUCTION;
    const struct area *area = areas_find(info->address);
    bool present = info->signal == SIG_SEGV && info->code == CODE_ACCERR && area &&
                   area->protection != PROT_NONE;
    t->fault_error = (t->fault_error & ERROR_WRITE) | ERROR_USER | (fetch ? ERROR_FETCH : 0) |
                     (present ? ERROR_PRESENT : 0);
    t->fault_cr2 = info->address;
}

/* At such an address no page can exist: the processor does not even report the address. */
static bool canonical(u64 address)
{
    return (u64)((i64)(address << 16) >> 16) == address;
}

void signals_raise(int signal, int code, u64 address)
{
    signals_raise_exception(signal, code, address, trap_number(signal, code), 0);
}

void signals_raise_exception(int signal, int code, u64 address, u64 trap, u64 error)
{
    struct thread *t = thread_self();
    struct k_siginfo info = {.signal = signal, .code = code};
    if (!canonical(address))
        info.code = code = CODE_KERNEL;
    if (code != CODE_KERNEL)
        info.address = address;
    t->fault_trap = trap;
    t->fault_error = error;
    if (t->fault_trap == TRAP_PAGE_FAULT)
        explain_page_fault(t, &info);
    signals_fault(&info);
}

void signals_return(void)
{
    struct thread *t = thread_self();
    u64 mask;
    struct k_stack stack;
    if (!signal_frame_take_down(t, &mask, &stack)) {
        signals_raise(SIG_SEGV, CODE_KERNEL, 0);
        return;
    }
    signals_set_altstack(t, &stack); /* the kernel ignores a bad one, too */
    ticks_add(1);
    signals_set_mask(t, mask);
}

/* Fork, vfork, execve */

static void forget_waiting(struct thread *t)
{
    t->waiting_info.signal = 0;
    t->held = 0;
    t->signal_waiting = false;
    signals_apply_mask(t);
}

void signals_forked(void)
{
    struct thread *t = thread_self();
    if (t->actions)
        memcpy(signals.first.of, t->actions->of, sizeof(signals.first.of));
    t->actions = NULL;
    forget_waiting(t);
}

/* Processes apart */

static struct signals_table *table_take(void)
{
    struct signals_table *table = signals.unused_tables;
    if (table == NULL)
        return pool_take(sizeof(*table));
    signals.unused_tables = table->next;
    return table;
}

void signals_table_begin(struct thread *t, bool shares)
{
    t->actions = thread_self()->actions;
    if (!shares) {
        t->actions = table_take();
        memcpy(t->actions->of, signals_table()->of, sizeof(t->actions->of));
        t->actions->threads = 0;
    }
    if (t->actions)
        t->actions->threads++;
}

void signals_table_end(struct thread *t)
{
    struct signals_table *table = t->actions;
    t->actions = NULL;
    if (!table || --table->threads)
        return;
    table->next = signals.unused_tables;
    signals.unused_tables = table;
}

/* State that a child of vfork may change while it runs on its parent's block. */
struct signals_saved {
    struct signals_saved *outer; /* the child itself may vfork */
    bool shares;                 /* actions are those of parent and child */
    struct k_sigaction actions[SIG_LAST + 1];
    u64 mask;
    bool mask_restore_waits;
    u64 mask_restore;
    struct k_stack altstack;
    bool signal_waiting;
    struct k_siginfo waiting_info;
    u64 held;
    struct k_siginfo held_info[SIG_SEGV + 1];
    u64 fault_error, fault_trap, fault_cr2;
};

static struct signals_saved *saved_take(void)
{
    struct signals_saved *s = signals.unused;
    if (s == NULL)
        return pool_take(sizeof(*s));
    signals.unused = s->outer;
    return s;
}

/* From here to the end only the child may note signals. */
void signals_vfork_begin(bool shares)
{
    struct thread *t = thread_self();
    signals_block_sent();
    struct signals_saved *s = saved_take();
    s->outer = t->signals_saved;
    s->shares = shares;
    memcpy(s->actions, signals_table()->of, sizeof(s->actions));
    s->mask = t->mask;
    s->mask_restore_waits = t->mask_restore_waits;
    s->mask_restore = t->mask_restore;
    s->altstack = t->altstack;
    s->signal_waiting = t->signal_waiting;
    s->waiting_info = t->waiting_info;
    s->held = t->held;
    memcpy(s->held_info, t->held_info, sizeof(s->held_info));
    s->fault_error = t->fault_error;
    s->fault_trap = t->fault_trap;
    s->fault_cr2 = t->fault_cr2;
    t->signals_saved = s;
}

void signals_vfork_child(void)
{
    forget_waiting(thread_self());
}

static void set_kernel_actions(void)
{
    for (int signal = 1; signal <= SIG_LAST; signal++)
        if (!signals_is(signal, SIGNALS_UNBLOCKABLE))
            signals_set_kernel_action(signal);
}

void signals_vfork_end(void)
{
    struct thread *t = thread_self();
    struct signals_saved *s = t->signals_saved;
    t->signals_saved = s->outer;
    if (s->shares)
        set_kernel_actions(); /* to end itself, the child may have changed one */
    else
        memcpy(signals_table()->of, s->actions, sizeof(s->actions));
    t->mask = s->mask;
    t->mask_restore_waits = s->mask_restore_waits;
    t->mask_restore = s->mask_restore;
    t->altstack = s->altstack;
    t->signal_waiting = s->signal_waiting;
    t->waiting_info = s->waiting_info;
    t->held = s->held;
    memcpy(t->held_info, s->held_info, sizeof(s->held_info));
    t->fault_error = s->fault_error;
    t->fault_trap = s->fault_trap;
    t->fault_cr2 = s->fault_cr2;
    s->outer = signals.unused;
    signals.unused = s;
    signals_apply_mask(t);
}

/* Synchronous signals that were sent and are blocked stay pending across execve: the kernel keeps
 * them. */
static void hand_back_held(struct thread *t)
{
    for (int signal; (signal = signals_first_held(t, t->mask));) {
        struct k_siginfo info;
        signals_unhold(t, signal, &info);
        signals_send_self(&info);
    }
}

void signals_exec(void)
{
    struct thread *t = thread_self();
    offer_kernel_mask(t, t->mask);
    if (t->signal_waiting)
        return; /* the call will not be made */
    hand_back_held(t);
    for (size_t i = 0; i < countof(synchronous); i++) {
        if (signals_at(synchronous[i])->handler == K_SIG_IGN)
            set_kernel_handler(synchronous[i], K_SIG_IGN, 0);
    }
}

void signals_exec_failed(void)
{
    for (size_t i = 0; i < countof(synchronous); i++)
        signals_set_kernel_action(synchronous[i]);
    signals_apply_mask(thread_self());
}
