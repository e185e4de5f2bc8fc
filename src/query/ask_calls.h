/* Calls that are under way in a pass: which return belongs to which call.
 *
 * A call is known by its thread and by where its return address lies.  It has returned when that
 * address is about to be executed and the stack pointer is just above where it lay.  A function
 * that was entered by a jump (a tail call) returns together with the one that jumped.
 *
 * A call that longjmp or an exception has left never returns.  Where it was left, all that lies on
 * the stack between there and where the program goes on is over.  What was not seen to end is
 * forgotten when its place on the stack is used by another call, so there are never more calls than
 * places.  Nothing else is concluded from the order of stack addresses: threads, signal handlers
 * and coroutines have stacks of their own.
 */
#ifndef QUERY_ASK_CALLS_H
#define QUERY_ASK_CALLS_H

#include "query/ask_internal.h"

struct ask_activation {
    u32 thread;
    u32 function;        /* index of the set */
    u64 slot;            /* where its return address lies */
    u64 return_pc;
    struct moment entered, begun; /* at its first instruction; where a breakpoint stops */
    bool is_begun;
    u64 args[4];
    u64 row;             /* of the caller's */
};

struct ask_calls {
    struct list list;   /* struct ask_activation, oldest first */
    struct list throws; /* struct ask_throw */
    /* Is told of calls that are over without a return; may be NULL. */
    void (*lost)(void *context, struct ask_activation *a);
    void *context;
};

void ask_calls_init(struct ask_calls *c);
void ask_calls_deinit(struct ask_calls *c);
/* The hit of a site with PLAN_REGISTERS at the first instruction of a function. */
struct ask_activation *ask_calls_enter(struct ask_calls *c, u32 function,
                                       const struct plan_hit *hit);
/* The newest of the function that is not begun, where a breakpoint stops; NULL: none. */
struct ask_activation *ask_calls_begin(struct ask_calls *c, u32 function,
                                       const struct plan_hit *hit);
/* Takes the newest that the hit returns from; false: there is none (any more). */
bool ask_calls_return(struct ask_calls *c, const struct plan_hit *hit, struct ask_activation *ret);
void ask_calls_drop(struct ask_calls *c, const struct ask_activation *a);
/* The thread goes on where its stack pointer is `to`, and was at `from`. */
void ask_calls_jump(struct ask_calls *c, u32 thread, u64 from, u64 to);
/* An exception is thrown, or thrown on; it is caught, or a cleanup has been run, at this stack
 * pointer. */
void ask_calls_throw(struct ask_calls *c, u32 thread, u64 rsp);
void ask_calls_catch(struct ask_calls *c, u32 thread, u64 rsp);

#endif
