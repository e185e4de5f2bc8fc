/* Threads: their blocks, and the baton.
 *
 * The baton is a ticket lock on a futex: who wants it draws a number, and it goes round in
 * the order of the numbers, so nobody starves.  Waiters sleep on the word that says whose
 * turn it is, each with the bit of its number, so that handing over wakes one of them.
 *
 *   runs guest code --thread_give_baton--> in a call that may wait
 *                   --thread_take_baton--> waits for its number, runs guest code
 *
 * Invariants, besides those of thread.h
 *   (3) turn.next - turn.serving is the number of threads that hold the baton or wait for
 *       it.
 *   (4) t->has_baton is written by t alone (or by the child of vfork that runs on its
 *       block).
 */
#include "engine/thread.h"

#include "engine/kernel.h"
#include "engine/layout.h"
#include "engine/pool.h"
#include "engine/stop.h"
#include "engine/syscalls.h"
#include "engine/text.h"
#include "engine/thread_internal.h"
#include "engine/ticks.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/vector.h"

u32 thread_count;

static struct thread *threads;     /* all, by `next` */
static struct thread *free_blocks; /* by `next` */
static struct thread *holder;      /* who had the baton last */

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

struct thread *thread_create(void)
{
    struct thread *t = free_blocks;
    if (t) {
        free_blocks = t->next;
        memset(t, 0, offsetof(struct thread, vector));
    } else {
        t = map_block();
    }
    if (t)
        t->self = t;
    return t;
}

void thread_list_add(struct thread *t)
{
    t->next = threads;
    threads = t;
    thread_count++;
    syscalls_update_direct();
}

void thread_list_drop(struct thread *t)
{
    struct thread **at = &threads;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    thread_count--;
    syscalls_update_direct();
    t->next = free_blocks;
    free_blocks = t;
}

/* The baton */

enum {
    FUTEX_WAIT_BITSET = 9,
    FUTEX_WAKE_BITSET = 10,
    FUTEX_PRIVATE = 128,
    EVERYBODY = 0x7fffffff,
    SPINS = 60,
};

static struct {
    u32 next;    /* number to be drawn */
    u32 serving; /* the holder's */
} turn;

static u32 turn_bit(u32 number)
{
    return 1u << number % 32;
}

static void hand_on(void)
{
    u32 now = __atomic_add_fetch(&turn.serving, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&turn.next, __ATOMIC_SEQ_CST) != now)
        kernel_call(__NR_futex, &turn.serving, FUTEX_WAKE_BITSET | FUTEX_PRIVATE, EVERYBODY, 0, 0,
                    turn_bit(now));
}

static void wait_for_turn(void)
{
    u32 mine = __atomic_fetch_add(&turn.next, 1, __ATOMIC_SEQ_CST);
    u32 now;
    for (int i = 0; i < SPINS && __atomic_load_n(&turn.serving, __ATOMIC_ACQUIRE) != mine; i++)
        __builtin_ia32_pause(); /* most stretches between two calls are shorter than a sleep */
    while ((now = __atomic_load_n(&turn.serving, __ATOMIC_SEQ_CST)) != mine)
        kernel_call(__NR_futex, &turn.serving, FUTEX_WAIT_BITSET | FUTEX_PRIVATE, now, NULL, NULL,
                    turn_bit(mine));
}

bool thread_others_wait(void)
{
    return __atomic_load_n(&turn.next, __ATOMIC_RELAXED) - turn.serving > 1;
}

_Noreturn void thread_leave(int status)
{
    holder = NULL;
    engine_leave(&turn.serving, turn_bit(turn.serving + 1), status);
}

/* The state of a thread without it */

enum { ARCH_GET_FS = 0x1003, ARCH_GET_GS = 0x1004 };

/* Does the kernel let programs read fs and gs base by themselves?  Asked when a second
 * thread comes. */
static bool bases_readable(void)
{
    enum { PR_GET_AUXV = 0x41555856, HWCAP2_FSGSBASE = 2, ENTRIES = 64 };
    static i32 answer = -1;
    if (answer >= 0)
        return answer;
    u64 auxv[ENTRIES][2];
    i64 size = kernel_call(__NR_prctl, PR_GET_AUXV, auxv, sizeof(auxv)); /* Linux 6.4 */
    answer = 0;
    for (i64 i = 0; i < ENTRIES && i * 16 < size; i++)
        if (auxv[i][0] == AT_HWCAP2)
            answer = (auxv[i][1] & HWCAP2_FSGSBASE) != 0;
    return answer;
}

static void save_bases(struct thread_state *state)
{
    if (bases_readable()) {
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
    save_bases(&t->state);
    vector_save(t->vector);
}

/* The kernel keeps vector state, fs and gs base of each of its threads: they are saved for
 * (2), and not loaded. */
void thread_give_baton(void)
{
    if (thread_count == 1)
        return;
    struct thread *t = thread_self();
    assert(t->has_baton);
    thread_save_state(t);
    __atomic_store_n(&t->has_baton, false, __ATOMIC_SEQ_CST); /* a handler looks at it */
    hand_on();
}

void thread_take_baton(void)
{
    struct thread *t = thread_self();
    if (t->has_baton)
        return;
    wait_for_turn();
    thread_load_registers(&t->state);
    __atomic_store_n(&t->has_baton, true, __ATOMIC_SEQ_CST);
    if (holder != t)
        ticks_add(1);
    holder = t;
}

void thread_yield(void)
{
    if (!thread_others_wait())
        return;
    thread_give_baton();
    thread_take_baton();
}

/* Beginnings */

void thread_start_first(struct thread *t)
{
    t->tid = (u32)kernel_call(__NR_gettid);
    t->has_baton = true;
    holder = t;
    turn.next = turn.serving + 1; /* (3) */
    thread_list_add(t);
}

void thread_forked(void)
{
    struct thread *t = thread_self();
    for (struct thread *other = threads, *next; other; other = next) {
        next = other->next;
        if (other != t)
            thread_list_drop(other);
    }
    t->tid = (u32)kernel_call(__NR_gettid);
    t->in_vfork = false;
    t->robust_list = gaddr(0);
    turn.next = turn.serving + 1; /* (3) */
    assert(thread_count == 1 && t->has_baton);
}
