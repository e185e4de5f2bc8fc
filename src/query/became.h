/* When a condition became true: the next or the last moment at which it did, having been false
 * before.
 *
 * A condition is a function that tells whether it holds in the memory that session_read() shows
 * then.  Everything that it reads is watched, and it is asked again where one of those bytes has
 * changed, never in between.  If there is bytecode for it, too, and that reads nothing but fixed
 * places, it is the engine that asks.
 *
 * That a condition cannot be evaluated (a pointer leads nowhere) is as good as that it does not
 * hold. A fixed place that is not mapped yet counts as zeros. Where its value is unknown (a
 * variable is optimised out), the last known value counts.
 */
#ifndef QUERY_BECAME_H
#define QUERY_BECAME_H

#include "query/history.h"

enum became_truth { BECAME_FALSE, BECAME_TRUE, BECAME_UNKNOWN };

struct became_question {
    /* Errors are of the session; a condition that cannot be evaluated is false. */
    struct error *(*holds)(void *context, enum became_truth *ret);
    void *context;
    struct look_points points;
    const u8 *bytecode; /* agent expression (log/control.h); NULL: none */
    size_t bytecode_size;
    struct moment from, to;           /* what happens after `from`, up to `to` */
    enum session_direction direction; /* FORWARD: the first time; BACKWARD: the last */
};

struct became_answer {
    bool found;
    bool at_start;       /* not found; but it holds at `from` */
    bool interrupted;
    struct moment reached; /* how far it came */
    struct moment at;    /* of the instruction that made it true */
    struct moment after; /* where it had */
    u32 thread;
};

struct error *became_ask(struct session *s, const struct became_question *q,
                         struct became_answer *ret);

/* Does the bytecode read fixed places only, and ask for no register? */
bool became_is_plain(const u8 *bytecode, size_t size);

/* All places that plain bytecode may read: calls `place` for each. */
void became_places(const u8 *bytecode, size_t size,
                   void (*place)(void *context, u64 address, u64 size), void *context);

#endif
