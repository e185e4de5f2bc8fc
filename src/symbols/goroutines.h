/* Goroutines of a Go program: which there are, what they do, and where their stacks are.
 *
 * The runtime keeps them in the variable runtime.allgs. A goroutine that runs has its registers in a
 * thread. One that does not has its pc, sp and bp in its own `sched`.
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

/* All that are alive, by id; an error where the program is not of Go. *ret to be freed. */
struct error *goroutines_list(struct evaluation *v, struct goroutine **ret, size_t *ret_count);

#endif
