/* When a condition became true: finds the next or the last moment at which it changed from false to
 * true.
 *
 * A condition is a function that evaluates it on the memory that session_read() shows. Everything
 * that it reads is watched. It is evaluated again only where one of those bytes has changed. If the
 * condition also exists as bytecode that reads only fixed places, the engine evaluates it.
 *
 * A condition that cannot be evaluated (a bad pointer) counts as false. A fixed place that is not
 * mapped yet counts as zeros. Where its value is unknown (a variable is optimised out), the last
 * known value counts.
 */
#ifndef QUERY_BECAME_H
#define QUERY_BECAME_H

#include "query/history.h"

enum became_truth { BECAME_FALSE, BECAME_TRUE, BECAME_UNKNOWN };

struct became_question {
    /* Returns errors of the session only; a condition that cannot be evaluated is false. */
    struct error *(*holds)(void *context, enum became_truth *ret);
    void *context;
    struct look_points points;
    const u8 *bytecode; /* agent expression (log/control.h); NULL: none */
    size_t bytecode_size;
    struct moment from, to;           /* events after `from`, up to `to` */
    enum session_direction direction; /* FORWARD: the first time; BACKWARD: the last */
};

struct became_answer {
    bool found;
    bool at_start;       /* not found, but the condition already holds at `from` */
    bool interrupted;
    struct moment reached; /* how far the search came */
    struct moment at;    /* the instruction that made it true */
    struct moment after; /* the moment after it */
    u32 thread;
};

struct error *became_ask(struct session *s, const struct became_question *q,
                         struct became_answer *ret);

/* True if the bytecode reads fixed places only, and no registers. */
bool became_is_plain(const u8 *bytecode, size_t size);

/* Calls `place` for each place that plain bytecode may read. */
void became_places(const u8 *bytecode, size_t size,
                   void (*place)(void *context, u64 address, u64 size), void *context);

#endif
