/* Threads: their blocks, and the baton.
 *
 * A thread that wants the baton joins a line. The holder is the head of the line and hands the
 * baton to the next, so no thread starves. Each waits on its own word: a hand-over wakes only the
 * thread that runs next, with one system call, or none if that thread is not asleep yet.
 *
 * A thread can also be parked: it is in no line until the holder puts it there (thread_wake), or a
 * signal or its deadline ends the wait.
 *
 *   HOLDS --thread_give_baton--> AWAY, in a call that may wait --thread_take_baton--> IN_LINE
 *   HOLDS --thread_park--> PARKED --thread_wake, or a signal, or the deadline--> IN_LINE
 *   HOLDS --thread_yield--> IN_LINE
 *   IN_LINE --release() of the one in front--> HOLDS
 *   HOLDS, lent --take_loan() of one who has waited long--> AWAY
 *
 * Every hand-over ends in thread_take_over().
 *
 * Invariants, besides those of thread.h
 *   (3) The line is the holder, followed by the threads IN_LINE (linked by `behind`), up to
 *       line_end; a thread that has just joined may not be linked yet. line_end is NULL if no
 *       thread holds the baton.
 *   (4) t->place is written by t alone (or by the child of vfork that runs on its block), except
 *       that any thread with the baton may move it from PARKED to IN_LINE, and a thread that takes
 *       a loan from HOLDS to AWAY.
 *   (5) The thread that moves t->place to IN_LINE, and no other, puts t into the line.
 *   (6) A block is reused only when the kernel thread that used it is gone.
 */
#include "engine/threads/thread.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/shown_number.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/threads/slice.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/vector.h"
#include "log/format.h"

struct thread_totals threads;

static struct {
    struct thread *first;       /* of all, by `next` */
    struct thread *free_blocks; /* by `next` */
    struct thread *holder;      /* the thread that had the baton last */
    struct thread *granted;     /* the thread that got it last */
    struct thread *line_end;    /* last in the line for the baton */
    struct log_switch out;      /* for the log: where its predecessor stopped, and why */
    u32 next_ordinal;
    u32 first_tid;
    i32 bases_readable; /* -1: not asked yet */
} roster = {.bases_readable = -1};

/* Blocks
 *
 *   struct thread | guard page | handler stack | guard page | engine's stack
 */

u64 thread_handler_stack(struct thread *t)
{
    return (u64)t + page_up(sizeof(*t)) + PAGE_SIZE;
}

u64 thread_stack_top(struct thread *t)
{
    return (u64)t + THREAD_BLOCK;
}

static void guard(u64 page)
{
    kernel_call(__NR_mprotect, page, PAGE_SIZE, PROT_NONE);
}

static struct thread *map_block(void)
{
    struct thread *t = pool_try_map(THREAD_BLOCK, THREAD_BLOCK);
    if (t) {
        guard(thread_handler_stack(t) - PAGE_SIZE);
        guard(thread_handler_stack(t) + THREAD_HANDLER_STACK);
    }
    return t;
}

static struct thread *take_free_block(void)
{
    for (struct thread **at = &roster.free_blocks; *at; at = &(*at)->next) {
        struct thread *t = *at;
        if (__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE))
            continue;
        invariant(6, t != thread_self() && !thread_holds(t));
        *at = t->next;
        return t;
    }
    return NULL;
}

struct thread *thread_create(void)
{
    struct thread *t = take_free_block();
    if (t)
        memset(t, 0, offsetof(struct thread, vector));
    else
        t = map_block();
    if (t)
        t->self = t;
    return t;
}

void thread_list_add(struct thread *t)
{
    t->ordinal = roster.next_ordinal++;
    t->next = roster.first;
    roster.first = t;
    threads.count++;
}

void thread_list_drop(struct thread *t)
{
    struct thread **at = &roster.first;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    threads.count--;
    t->next = roster.free_blocks;
    roster.free_blocks = t;
}

u32 thread_next_ordinal(void)
{
    return roster.next_ordinal;
}

void thread_set_next_ordinal(u32 ordinal)
{
    roster.next_ordinal = ordinal;
}

u32 thread_first_tid(void)
{
    return roster.first_tid;
}

struct thread *thread_with_ordinal(u32 ordinal)
{
    struct thread *t = roster.first;
    while (t && t->ordinal != ordinal)
        t = t->next;
    return t;
}

/* The end of the path, as the kernel does at execve. */
void thread_take_name(const char *path)
{
    const char *name = path;
    for (const char *at; (at = text_find(name, '/'));)
        name = at + 1;
    struct text t = TEXT(thread_self()->name);
    text_add(&t, name);
}

u32 thread_number(const struct thread *t)
{
    return shown_number(t->tid);
}

struct thread *thread_next(const struct thread *t)
{
    return t ? t->next : roster.first;
}

struct thread *thread_find(u32 number)
{
    struct thread *t = roster.first;
    while (t && thread_number(t) != number)
        t = t->next;
    return t;
}

/* The line */

enum { /* t->word */
    AWAKE,
    ASLEEP,
    GRANTED,
};

enum {
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_PRIVATE = 128,
    FUTEX_REALTIME = 256,
    SPINS = 60,
    LINK_SPINS = 200,
};

enum { /* t->lent */
    NOT_LENT,
    LENT,    /* any thread in line may take the baton, ... */
    TAKING,  /* a thread does, ... */
    TAKEN,   /* and has done so */
};

enum { LOAN_NS = 10000000 };

static void thread_grant(struct thread *t)
{
    __atomic_store_n(&roster.granted, t, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&t->word, GRANTED, __ATOMIC_SEQ_CST) == ASLEEP)
        kernel_call(__NR_futex, &t->word, FUTEX_WAKE | FUTEX_PRIVATE, 1);
}

/* Claims the right, and the duty, to put t into the line. */
static bool claim(struct thread *t, u32 place)
{
    return __atomic_compare_exchange_n(&t->place, &place, THREAD_IN_LINE, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static void thread_join(struct thread *t)
{
    invariant(5, t->place == THREAD_IN_LINE);
    t->behind = NULL;
    struct thread *front = __atomic_exchange_n(&roster.line_end, t, __ATOMIC_SEQ_CST);
    if (front)
        __atomic_store_n(&front->behind, t, __ATOMIC_RELEASE);
    else
        thread_grant(t);
}

/* Returns the thread after t in the line. There is one, but it may not be linked yet. */
static struct thread *next_in_line(struct thread *t)
{
    struct thread *next;
    for (int i = 0; !(next = __atomic_load_n(&t->behind, __ATOMIC_ACQUIRE)); i++) {
        if (i < LINK_SPINS)
            __builtin_ia32_pause();
        else
            kernel_call(__NR_sched_yield);
    }
    invariant(3, next != t && next->place == THREAD_IN_LINE);
    return next;
}

/* A process apart may be killed anywhere; the kernel tells when it is gone. */
static bool is_dead(const struct thread *t)
{
    return t->apart && !__atomic_load_n(&t->in_use, __ATOMIC_SEQ_CST);
}

/* Removes the head of the line, and the dead threads after it. */
static void hand_on(struct thread *t)
{
    do {
        struct thread *alone = t;
        if (!__atomic_load_n(&t->behind, __ATOMIC_ACQUIRE) &&
            __atomic_compare_exchange_n(&roster.line_end, &alone, NULL, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return;
        t = next_in_line(t);
    } while (is_dead(t));
    thread_grant(t);
}

static void release(struct thread *t, u32 place)
{
    invariant(4, t == thread_self() || t->lent == TAKING);
    invariant(3, roster.line_end);
    __atomic_store_n(&t->place, place, __ATOMIC_SEQ_CST); /* a handler reads it */
    hand_on(t);
}

/* The thread that has the baton, or is next, was killed. Called by a thread in line. */
static void pass_the_dead(void)
{
    struct thread *t = __atomic_load_n(&roster.granted, __ATOMIC_SEQ_CST);
    if (!t || !is_dead(t) ||
        !__atomic_compare_exchange_n(&roster.granted, &t, NULL, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return;
    if (thread_holds(t))
        roster.out = (struct log_switch){.ordinal = t->ordinal, .reason = SWITCH_SLICE};
    hand_on(t);
}

/* True if the state that other threads must find is in its block. Valid while cpu is still its
 * own. */
static bool is_saved(const struct thread *t)
{
    return t->state.rip == cpu->rip && t->state.reg[RSP] == cpu->reg[RSP];
}

static bool move_loan(struct thread *t, u32 from, u32 to)
{
    return __atomic_compare_exchange_n(&t->lent, &from, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* The holder waits in a call that was not expected to: the baton goes on without it. Only a thread
 * in line calls this, so there is a next holder. */
static void take_loan(void)
{
    struct thread *from = __atomic_load_n(&roster.holder, __ATOMIC_SEQ_CST);
    if (!from || !move_loan(from, LENT, TAKING))
        return;
    invariant(2, is_saved(from));
    from->word = AWAKE;
    release(from, THREAD_AWAY);
    __atomic_store_n(&from->lent, TAKEN, __ATOMIC_SEQ_CST);
}

/* Looks now and then whether the baton was lent, or its holder killed. */
static void sleep_in_line(struct thread *t)
{
    struct k_timespec limit = {0, LOAN_NS};
    i64 result = kernel_call(__NR_futex, &t->word, FUTEX_WAIT | FUTEX_PRIVATE, ASLEEP,
                             log_owner->live ? &limit : NULL);
    if (result == -ETIMEDOUT) {
        take_loan();
        pass_the_dead();
    }
}

static void wait_for_grant(struct thread *t)
{
    u32 word;
    for (int i = 0; i < SPINS && __atomic_load_n(&t->word, __ATOMIC_ACQUIRE) == AWAKE; i++)
        __builtin_ia32_pause(); /* most stretches between two calls are shorter than a sleep */
    word = AWAKE;
    __atomic_compare_exchange_n(&t->word, &word, ASLEEP, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&t->word, __ATOMIC_SEQ_CST) != GRANTED)
        sleep_in_line(t);
}

bool thread_is_holder(void)
{
    return roster.holder == thread_self();
}

bool thread_others_wait(void)
{
    if (!log_owner->live)
        return false;
    return __atomic_load_n(&roster.line_end, __ATOMIC_RELAXED) != roster.holder;
}

static void note_out(const struct thread *t, u32 reason)
{
    roster.out = (struct log_switch){t->ordinal, reason, cpu->rip};
}

/* No thread of this process can run until one returns. */
static void give_share(void)
{
    if (!thread_others_wait())
        log_rests();
}

void thread_leave_line(void)
{
    struct thread *t = thread_self();
    invariant(1, thread_holds(t) && roster.holder == t);
    note_out(t, SWITCH_EXIT);
    give_share();
    roster.holder = NULL;
    release(t, THREAD_AWAY);
}

_Noreturn void thread_leave(int status)
{
    thread_leave_line();
    for (;;)
        kernel_call(__NR_exit, status);
}

/* The state of a thread without the baton */

enum { ARCH_GET_FS = 0x1003, ARCH_GET_GS = 0x1004 };

/* True if the kernel lets programs read fs and gs base themselves. Asked when there is a second
 * thread. */
bool thread_bases_readable(void)
{
    enum { PR_GET_AUXV = 0x41555856, HWCAP2_FSGSBASE = 2, ENTRIES = 64 };
    if (roster.bases_readable >= 0)
        return roster.bases_readable;
    u64 auxv[ENTRIES][2];
    i64 size = kernel_call(__NR_prctl, PR_GET_AUXV, auxv, sizeof(auxv)); /* Linux 6.4 */
    roster.bases_readable = 0;
    for (i64 i = 0; i < ENTRIES && i * 16 < size; i++)
        if (auxv[i][0] == AT_HWCAP2)
            roster.bases_readable = (auxv[i][1] & HWCAP2_FSGSBASE) != 0;
    return roster.bases_readable;
}

void thread_save_bases(struct thread_state *state)
{
    if (thread_bases_readable()) {
        __asm__ volatile("rdfsbase %0" : "=r"(state->fs_base));
        __asm__ volatile("rdgsbase %0" : "=r"(state->gs_base));
        return;
    }
    kernel_call(__NR_arch_prctl, ARCH_GET_FS, &state->fs_base);
    kernel_call(__NR_arch_prctl, ARCH_GET_GS, &state->gs_base);
}

void thread_save_registers(struct thread_state *state)
{
    memcpy(state->reg, cpu->reg, sizeof(state->reg));
    state->rip = cpu->rip;
    state->flags = cpu->flags;
    state->engine_rsp = cpu->engine_rsp;
}

void thread_load_registers(const struct thread_state *state)
{
    memcpy(cpu->reg, state->reg, sizeof(state->reg));
    cpu->rip = state->rip;
    cpu->flags = state->flags;
    cpu->engine_rsp = state->engine_rsp;
}

void thread_save_state(struct thread *t)
{
    thread_save_registers(&t->state);
    thread_save_bases(&t->state);
    vector_save(t->vector);
}

/* The kernel keeps vector state, fs and gs base of each of its threads: they are saved for others
 * to see, but not loaded. */
static void thread_give_up(struct thread *t, u32 place, u32 word)
{
    invariant(1, thread_holds(t) && roster.holder == t);
    note_out(t, SWITCH_CALL);
    thread_save_state(t);
    invariant(2, is_saved(t));
    t->word = word;
    give_share();
    release(t, place);
}

/* This is the only place where a thread begins to run in place of another. */
static void thread_take_over(struct thread *t)
{
    invariant(4, t == thread_self());
    invariant(5, t->place == THREAD_IN_LINE && t->word == GRANTED);
    invariant(3, roster.line_end);
    thread_load_registers(&t->state);
    __atomic_store_n(&t->place, THREAD_HOLDS, __ATOMIC_SEQ_CST);
    if (roster.holder != t) {
        roster.holder = t;
        threads.turns++;
        if (t->call.open)
            t->call.flags |= SYSCALL_WAITED;
        log_switched(&roster.out, t);
        ticks_add(1);
        slice_begin();
    }
    log_runs(t->call.open);
}

void thread_give_baton(void)
{
    if (threads.count > 1 && log_owner->live)
        thread_give_up(thread_self(), THREAD_AWAY, AWAKE);
    else
        log_rests();
}

/* Usually it is AWAY. A child of vfork may have been killed at any other place: its parent
 * continues from there. */
void thread_take_baton(void)
{
    struct thread *t = thread_self();
    if (thread_holds(t)) {
        log_runs(t->call.open);
        return;
    }
    if (claim(t, THREAD_AWAY) || claim(t, THREAD_PARKED))
        thread_join(t);
    wait_for_grant(t);
    thread_take_over(t);
}

void thread_lend_baton(void)
{
    struct thread *t = thread_self();
    log_rests(); /* other processes do not wait that long */
    if (threads.count == 1 || !log_owner->live)
        return;
    note_out(t, SWITCH_CALL);
    thread_save_state(t);
    __atomic_store_n(&t->lent, LENT, __ATOMIC_SEQ_CST);
}

void thread_end_loan(void)
{
    struct thread *t = thread_self();
    if (t->lent == NOT_LENT || move_loan(t, LENT, NOT_LENT)) {
        log_runs(t->call.open);
        return;
    }
    while (__atomic_load_n(&t->lent, __ATOMIC_SEQ_CST) != TAKEN) /* the line is not in order yet */
        kernel_call(__NR_sched_yield);
    t->lent = NOT_LENT;
    thread_take_baton();
}

/* The thread is in line again before the next thread runs. Otherwise that thread would believe that
 * it is alone, and spin on a processor that the waiting thread needs. */
void thread_yield(void)
{
    struct thread *t = thread_self();
    if (!thread_others_wait())
        return;
    invariant(1, thread_holds(t) && roster.holder == t);
    struct thread *next = next_in_line(t);
    note_out(t, SWITCH_SLICE);
    thread_save_state(t);
    invariant(2, is_saved(t));
    t->word = ASLEEP;
    __atomic_store_n(&t->place, THREAD_IN_LINE, __ATOMIC_SEQ_CST);
    thread_join(t);
    thread_grant(next);
    wait_for_grant(t);
    thread_take_over(t);
}

/* Parking */

/* Sleeps until another thread, or t itself, has put t into the line. */
static enum thread_roused sleep_parked(struct thread *t, const struct thread_deadline *deadline)
{
    u64 clock = deadline && deadline->realtime ? FUTEX_REALTIME : 0;
    u64 args[6] = {(u64)&t->word,    FUTEX_WAIT_BITSET | FUTEX_PRIVATE | clock, ASLEEP,
                   deadline ? (u64)&deadline->at : 0, 0, 0xffffffff};
    while (__atomic_load_n(&t->word, __ATOMIC_SEQ_CST) != GRANTED) {
        bool late = engine_make_call(__NR_futex, args, &t->signal_waiting) == -ETIMEDOUT;
        if (!late && !t->signal_waiting)
            continue;
        if (!claim(t, THREAD_PARKED))
            break; /* it was woken before */
        thread_join(t);
        return late ? THREAD_LATE : THREAD_INTERRUPTED;
    }
    return THREAD_WOKEN;
}

enum thread_roused thread_park(const struct thread_deadline *deadline)
{
    struct thread *t = thread_self();
    thread_give_up(t, THREAD_PARKED, ASLEEP);
    enum thread_roused roused = sleep_parked(t, deadline);
    wait_for_grant(t);
    thread_take_over(t);
    return roused;
}

void thread_wake(struct thread *t)
{
    if (claim(t, THREAD_PARKED))
        thread_join(t);
}

/* Beginnings */

static void hold_alone(struct thread *t)
{
    t->place = THREAD_HOLDS;
    t->word = GRANTED;
    t->behind = NULL;
    roster.holder = roster.line_end = t;
}

void thread_start_first(struct thread *t)
{
    t->tid = roster.first_tid = (u32)kernel_call(__NR_gettid);
    t->leads = true;
    t->in_use = 1;
    hold_alone(t);
    thread_list_add(t);
}

/* A replayed child has the number of the first engine, by which the session knows whose track it
 * is; it may be any copy of that one. */
void thread_forked(void)
{
    struct thread *t = thread_self();
    for (struct thread *other = roster.first, *next; other; other = next) {
        next = other->next;
        if (other != t)
            thread_list_drop(other);
    }
    for (struct thread *gone = roster.free_blocks; gone; gone = gone->next)
        gone->in_use = 0;
    t->tid = log_owner->live ? (u32)kernel_call(__NR_gettid) : roster.first_tid;
    t->leads = true;
    t->in_vfork = t->apart = false;
    t->robust_list = gaddr(0);
    assert(threads.count == 1 && thread_holds(t));
    hold_alone(t);
}
