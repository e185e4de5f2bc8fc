/* The goroutines of a Go program: their state and their stacks.
 *
 * The runtime keeps them in the variable runtime.allgs. A goroutine that runs has its registers in
 * a thread. One that does not has its pc, sp and bp in its own `sched`.
 */
#ifndef SYMBOLS_GOROUTINES_H
#define SYMBOLS_GOROUTINES_H

#include "base/types.h"

struct evaluation;
struct error;

struct goroutine {
    u64 id;
    const char *state;  /* "running", "waiting", ... */
    /* why it waits: "chan receive"; NULL: it does not. Owned by the evaluation */
    const char *reason;
    u64 thread_id;      /* kernel thread id; 0: it is on no thread */
    u64 stack_low, stack_high;
    /* where it will continue, if it is on no thread or its thread runs other code */
    u64 pc, sp, bp;
    u64 start_pc;       /* its function */
    u64 go_pc;          /* the go statement that started it */
};

/* The goroutine that a thread runs, for movements that follow it. The runtime moves its stack when
 * that has to grow or shrink, and other threads may continue it. */
struct goroutine_hold {
    u64 address;        /* address of the runtime's record; 0: the thread runs no Go code */
    u64 stack_at, m_at; /* addresses of its stack bounds (16 bytes) and of its thread (8 bytes) */
    u64 stack_low, stack_high;
    u64 m, thread_id;   /* its thread, or the last one that it was on */
    u64 sp;             /* where it will continue, while it does not run */
};
/* Finds the goroutine of the evaluation's innermost frame, which must be a Go frame on the
 * goroutine's own stack. */
bool goroutine_hold(struct evaluation *v, struct goroutine_hold *ret);
/* Reads the goroutine again, by its known address. */
bool goroutine_look(struct evaluation *v, struct goroutine_hold *hold);
/* Makes bytecode (log/control.h) that is true if the goroutine is on another thread; the caller
 * frees it. */
void goroutine_thread_code(const struct goroutine_hold *hold, u8 **ret, size_t *ret_size);

/* Lists all live goroutines by id; an error if this is not a Go program. The caller frees *ret. */
struct error *goroutines_list(struct evaluation *v, struct goroutine **ret, size_t *ret_count);

#endif
