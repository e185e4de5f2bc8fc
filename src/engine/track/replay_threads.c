/* Threads in a replay: see replay_threads.h.
 *
 * Invariant
 *   (1) The kernel's alternate signal stack is the running thread's handler stack, so that a
 *       handler finds the right block by its rsp.
 */
#include "engine/track/replay_threads.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/track/replay.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/vector.h"

enum { SAVED_REGISTERS = 6, K_ARCH_SET_GS = 0x1001, K_ARCH_SET_FS = 0x1002 };

static _Noreturn void replay_threads_begin(void)
{
    engine_run();
}

/* Prepares a stack as engine_switch() leaves it: registers, and a return address. */
void replay_thread_prepare(struct thread *t, void (*begin)(void))
{
    u64 *top = (u64 *)thread_stack_top(t);
    *--top = 0; /* the stack's end, and its alignment at `begin` */
    *--top = (u64)begin;
    for (int n = 0; n < SAVED_REGISTERS; n++)
        *--top = 0;
    t->replay_rsp = (u64)top;
}

void replay_thread_create(const struct k_clone_args *args, u32 tid)
{
    struct thread *t = thread_create();
    if (!t)
        replay_unable("no memory for another thread");
    thread_prepare(t, args);
    t->tid = tid;
    memcpy(t->name, thread_self()->name, sizeof(t->name));
    replay_thread_prepare(t, replay_threads_begin);
    thread_list_add(t);
}

static void replay_threads_load(struct thread *t)
{
    struct k_stack handlers = {.base = thread_handler_stack(t), .size = THREAD_HANDLER_STACK};
    thread_load_registers(&t->state);
    kernel_call(__NR_arch_prctl, K_ARCH_SET_FS, t->state.fs_base);
    kernel_call(__NR_arch_prctl, K_ARCH_SET_GS, t->state.gs_base);
    vector_restore(t->vector, vector_shape.kept);
    kernel_call(__NR_sigaltstack, &handlers, 0);
}

/* Done only now and then, since it takes a system call. */
static void check_handler_stack(struct thread *t)
{
    enum { EVERY = 64 };
    struct k_stack now = {.base = thread_handler_stack(t)};
    if (ticks_now() % EVERY == 0)
        kernel_call(__NR_sigaltstack, 0, &now);
    invariant(1, now.base == thread_handler_stack(t));
}

void replay_switch_to(u32 ordinal)
{
    struct thread *from = thread_self(), *to = thread_with_ordinal(ordinal);
    if (!to)
        replay_unable("the log switches to a thread that there is not");
    check_handler_stack(from);
    thread_save_state(from);
    from->place = THREAD_AWAY;
    to->place = THREAD_HOLDS;
    replay_threads_load(to);
    ticks_add(1);
    engine_switch(&from->replay_rsp, to->replay_rsp);
}

_Noreturn void replay_thread_become(struct thread *t)
{
    u64 left;
    t->place = THREAD_HOLDS;
    replay_threads_load(t);
    engine_switch(&left, t->replay_rsp);
    __builtin_unreachable();
}

_Noreturn void replay_thread_restart(void)
{
    struct thread *t = thread_self();
    u64 left;
    replay_thread_prepare(t, replay_threads_begin); /* overwrites frames to which nothing returns */
    engine_switch(&left, t->replay_rsp);
    __builtin_unreachable();
}
