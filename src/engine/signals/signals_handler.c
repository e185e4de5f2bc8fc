/* The kernel's signal handler: from the kernel to the engine.
 *
 * It always runs on the handler stack of the thread's block, and only classifies: signals that a
 * process sent are noted, faults become an exit from the cache.
 *
 * Invariants
 *   (1) While t->waiting_info is in use, the kernel blocks all asynchronous signals for the thread:
 *       the mask in the interrupted context is changed accordingly.
 *   (2) Synchronous signals that a process sent go to t->held, one of each kind, as the kernel
 *       would keep them; they may come at any time, in this handler too.
 *   (3) Without the baton only the thread's own block is used.
 */
#include "base/assert.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/pending.h"
#include "engine/signals/signals_internal.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/recover.h"

enum {
    TRAP_PAGE_FAULT = 14,
    ERROR_WRITE = 2,        /* of a page fault */
    CODE_SEGV_MAPERR = 1,
    CODE_SEGV_ACCERR = 2,
};

static bool between(u64 pc, const u8 *begin, const u8 *end)
{
    return pc >= (u64)begin && pc < (u64)end;
}

/* The guest may have alignment checks enabled, which the engine does not support; the kernel leaves
 * them on in handlers. */
static inline void alignment_check_off(void)
{
    __asm__ volatile("pushfq\n\tandl %0, (%%rsp)\n\tpopfq" : : "i"(~FLAG_AC) : "memory", "cc");
}

/* Signals that were sent */

/* Makes the thread call signals_deliver() soon, wherever it is. */
static void hurry(struct thread *t, struct k_ucontext *context)
{
    struct k_sigcontext *registers = &context->registers;
    context->mask |= SIGNALS_ALL_ASYNCHRONOUS;
    if (recover_in_cache(registers->rip)) {
        invariant(3, thread_holds(t));
        recover_before_expiry(registers);
        recover_before_call(registers);
        ticks_expire();
        cpu->alarm = 1;
        return;
    }
    if (between(registers->rip, engine_call_begin, engine_call_end))
        registers->rip = (u64)engine_call_interrupted;
    if (thread_holds(t))
        cpu->alarm = 1;
}

static void note_sent(struct thread *t, const struct k_siginfo *info, struct k_ucontext *context)
{
    if (t->waiting_info.signal == 0)
        t->waiting_info = *info;
    else
        signals_send_self(info); /* the mask was already set: the kernel keeps the signal now */
    t->signal_waiting = true;
    hurry(t, context);
    invariant(1, (context->mask & SIGNALS_ALL_ASYNCHRONOUS) == SIGNALS_ALL_ASYNCHRONOUS);
}

static void hold_sent(struct thread *t, const struct k_siginfo *info, struct k_ucontext *context)
{
    invariant(2, (u32)info->signal < countof(t->held_info));
    if (signals_is(info->signal, t->held))
        return;
    t->held_info[info->signal] = *info;
    __atomic_or_fetch(&t->held, SIGNAL_BIT(info->signal), __ATOMIC_RELAXED); /* handlers nest */
    if (signals_is(info->signal, t->mask))
        return;
    t->signal_waiting = true;
    hurry(t, context);
}

/* Faults */

static _Noreturn void stop_for_fault(const struct k_siginfo *info,
                                     const struct k_sigcontext *registers)
{
    char buffer[160];
    struct text detail = TEXT(buffer);
    text_add(&detail, "signal ");
    text_add_signed(&detail, info->signal);
    text_add(&detail, " at pc 0x");
    text_add_hex(&detail, registers->rip);
    text_add(&detail, ", address 0x");
    text_add_hex(&detail, info->address);
    text_add(&detail, ", the program near 0x");
    text_add_hex(&detail, cpu ? cpu->rip : 0);
    engine_stop("fault in the engine", buffer);
}

/* The guest's state is in cpu: continues after engine_enter(). */
static void leave_cache(struct k_sigcontext *registers, enum exit_reason reason)
{
    cpu->exit_reason = reason;
    registers->rip = (u64)engine_resume;
    registers->rsp = cpu->engine_rsp;
    registers->flags = FLAGS_PLAIN;
}

/* A write to a page that the engine had protected has made the page writable. If it came from a
 * block that was made from that page, the rest of the block is stale. */
static void after_watched_write(const struct k_siginfo *info, struct k_sigcontext *registers)
{
    if (!recover_in_dropped(registers->rip))
        return;
    code_watch_own(info->address);
    if (!recover_state(registers))
        stop_for_fault(info, registers);
    leave_cache(registers, EXIT_RETRY);
}

static bool was_watched_write(const struct k_siginfo *info, const struct k_sigcontext *registers)
{
    return info->signal == SIG_SEGV && info->code == CODE_SEGV_ACCERR &&
           (registers->error & ERROR_WRITE) &&
           (code_watch_fault(info->address) || log_write_fault(info->address));
}

/* True if the kernel reports the pc in the cache where the guest's pc is meant. */
static bool address_is_pc(int signal, int code)
{
    return (signal == SIG_FPE || signal == SIG_ILL || signal == SIG_TRAP) && code != CODE_KERNEL;
}

static void fault_in_cache(struct thread *t, const struct k_siginfo *info,
                           struct k_sigcontext *registers)
{
    if (!recover_state(registers))
        stop_for_fault(info, registers);
    t->fault_info = *info;
    if (address_is_pc(info->signal, info->code))
        t->fault_info.address = cpu->rip;
    t->fault_error = registers->error;
    t->fault_trap = registers->trap;
    if (registers->trap == TRAP_PAGE_FAULT)
        t->fault_cr2 = registers->cr2;
    log_fault(t);
    leave_cache(registers, EXIT_FAULT);
}

static void take_fault(struct thread *t, const struct k_siginfo *info,
                       struct k_sigcontext *registers)
{
    if (info->signal == SIG_SEGV && info->code == CODE_SEGV_ACCERR && pending_fault(info->address))
        return;
    if (was_watched_write(info, registers))
        after_watched_write(info, registers);
    else if (info->signal == SIG_SEGV && info->code == CODE_SEGV_MAPERR &&
             log_stack_fault(info->address))
        return;
    else if (between(registers->rip, guest_copy_begin, guest_copy_end))
        registers->rip = (u64)guest_copy_faulted;
    else if (info->signal == SIG_BUS && recover_unaligned(registers))
        return;
    else if (recover_in_cache(registers->rip))
        fault_in_cache(t, info, registers);
    else
        stop_for_fault(info, registers);
}

void signals_handler(int signal, const struct k_siginfo *info, struct k_ucontext *context)
{
    alignment_check_off();
    struct thread *t = thread_self();
    if (!signals_is(signal, SIGNALS_SYNCHRONOUS))
        note_sent(t, info, context);
    else if (info->code <= 0)
        hold_sent(t, info, context);
    else
        take_fault(t, info, &context->registers);
}
