/* The active calls in a pass: matches returns with calls.
 *
 * A call is identified by its thread and by the stack slot of its return address. It has returned
 * when the return address is about to be executed and the stack pointer is just above the slot. A
 * function that was entered by a jump (a tail call) returns together with the one that jumped.
 *
 * A call that is left by longjmp or an exception never returns. Then all calls on the stack between
 * there and where the program continues have ended. A call whose end was not seen is forgotten when
 * another call uses its stack slot, so there are never more calls than slots. Nothing else is
 * concluded from the order of stack addresses, since threads, signal handlers and coroutines have
 * their own stacks.
 */
#ifndef QUERY_ASK_CALLS_H
#define QUERY_ASK_CALLS_H

#include "query/ask_internal.h"

struct ask_activation {
    u32 thread;
    u32 function;        /* index in the set of functions */
    u64 slot;            /* the stack address of its return address */
    u64 return_pc;
    /* at its first instruction; where a breakpoint on the function stops */
    struct moment entered, begun;
    bool is_begun;
    u64 args[4];
    u64 row;             /* for use by the caller */
};

struct ask_calls {
    struct list list;   /* struct ask_activation, oldest first */
    struct list throws; /* struct ask_throw */
    /* Called for calls that have ended without a return; may be NULL. */
    void (*lost)(void *context, struct ask_activation *a);
    void *context;
};

void ask_calls_init(struct ask_calls *c);
void ask_calls_deinit(struct ask_calls *c);
/* Notes a call. The hit is one of a site with PLAN_REGISTERS at the function's first
 * instruction. */
struct ask_activation *ask_calls_enter(struct ask_calls *c, u32 function,
                                       const struct plan_hit *hit);
/* Returns the function's newest call that has not reached its body, at a hit where a breakpoint on
 * the function stops; NULL: none. */
struct ask_activation *ask_calls_begin(struct ask_calls *c, u32 function,
                                       const struct plan_hit *hit);
/* Removes the newest call that the hit returns from; false: there is none (any more). */
bool ask_calls_return(struct ask_calls *c, const struct plan_hit *hit, struct ask_activation *ret);
void ask_calls_drop(struct ask_calls *c, const struct ask_activation *a);
/* The thread continues with the stack pointer `to`, which was `from` before. */
void ask_calls_jump(struct ask_calls *c, u32 thread, u64 from, u64 to);
/* An exception is thrown or rethrown (throw); it is caught, or a cleanup has run, at this stack
 * pointer (catch). */
void ask_calls_throw(struct ask_calls *c, u32 thread, u64 rsp);
void ask_calls_catch(struct ask_calls *c, u32 thread, u64 rsp);

#endif
