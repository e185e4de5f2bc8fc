/* The history of a value: every change, with what it was, what it became, when and by whom.
 *
 * What is asked about is a function that looks: it says where the value lies in the memory that
 * session_read() shows then, or what it is.  Everything that it reads on the way is watched; where
 * one of those bytes changes it looks again, so `p->next->v` follows its pointers.  The bytes of
 * the value itself are known from the stores that change them, without a look.
 *
 * What has been found out is kept as long as the struct history, and is not looked for again.
 */
#ifndef QUERY_HISTORY_H
#define QUERY_HISTORY_H

#include "query/value_state.h"
#include "session/session.h"

struct history;

void history_create(struct session *s, struct history **ret); /* `s` is lent */
void history_destroy(struct history *h);                      /* accepts NULL */

struct history_question {
    struct error *(*look)(void *context, struct history_value *ret);
    void *context;
    struct look_points points;
    /* A number of the value: of too many changes, those with the least and the greatest are
     * kept; may be NULL. */
    bool (*measure)(void *context, const struct history_state *state, double *ret);
    const char *key;        /* the same question has the same; NULL: the answer is not kept */
    struct moment from, to; /* what happened after `from`, up to `to` */
    enum session_direction order; /* FORWARD: oldest first */
    u64 most;               /* changes; 0: all, or as many as are kept, evenly over the whole
                             * stretch */
};

struct history_change {
    struct moment at;    /* of the instruction that did it; or of the system call */
    struct moment after; /* where it had */
    u32 thread;
    struct history_state old, new;
    /* it was optimised out in between: the change may have been anywhere there */
    bool unseen;
};

struct history_answer {
    const struct history_change *changes; /* in the order asked for */
    size_t count;
    u64 left_out;     /* how many are missing between those: they were too many */
    bool more;        /* there are others, that were not asked for */
    bool unseen;      /* it was optimised out in parts of it */
    bool interrupted; /* what was found until then: */
    struct moment reached; /* how far it came */
};

/* The answer is valid until the next question. */
struct error *history_ask(struct history *h, const struct history_question *q,
                          struct history_answer *ret);

/* A look at a range of memory; context: struct history_range. */
struct history_range {
    u64 address, size;
};
struct error *history_look_at_range(void *context, struct history_value *ret);

#endif
