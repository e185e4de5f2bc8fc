/* Goroutines of a Go program: which there are, what they do, and where their stacks are.
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
    const char *reason; /* of waiting: "chan receive"; NULL: none. It is the evaluation's */
    u64 thread_id;      /* of the kernel; 0: it is on no thread */
    u64 stack_low, stack_high;
    u64 pc, sp, bp;     /* where it goes on, if it is on no thread or its thread is elsewhere */
    u64 start_pc;       /* its function */
    u64 go_pc;          /* the go statement */
};

/* The goroutine that a thread runs, as movements follow it: the runtime copies its stack elsewhere
 * when that has to grow or shrink, and other threads may go on with it. */
struct goroutine_hold {
    u64 address;        /* of the runtime's own record; 0: the thread runs no code of Go */
    u64 stack_at, m_at; /* where its bounds (16 bytes) and its thread (8 bytes) are written down */
    u64 stack_low, stack_high;
    u64 m, thread_id;   /* its thread, or the last that it was on */
    u64 sp;             /* where it goes on, while it does not run */
};
/* Of the evaluation's innermost frame, which has to be of Go and on the goroutine's own stack. */
bool goroutine_hold(struct evaluation *v, struct goroutine_hold *ret);
/* Again, by the address that is known. */
bool goroutine_look(struct evaluation *v, struct goroutine_hold *hold);
/* Bytecode (log/control.h) that is true where the goroutine is on another thread; to be freed. */
void goroutine_thread_code(const struct goroutine_hold *hold, u8 **ret, size_t *ret_size);

/* All that are alive, by id; an error where the program is not of Go. *ret to be freed. */
struct error *goroutines_list(struct evaluation *v, struct goroutine **ret, size_t *ret_count);

#endif
