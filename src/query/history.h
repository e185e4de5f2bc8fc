/* The history of a value: every change, with the old and the new value, when it happened, and in
 * which thread.
 *
 * The value is defined by a function (`look`), which says where it lies in the memory that
 * session_read() shows, or what it is. Everything that the function reads on the way is watched.
 * Where one of those bytes changes the function is called again, so `p->next->v` follows its
 * pointers. The bytes of the value itself are known from the stores that change them, without a
 * call.
 *
 * Answers are kept as long as the struct history, and are not searched again.
 */
#ifndef QUERY_HISTORY_H
#define QUERY_HISTORY_H

#include "query/value_state.h"
#include "session/session.h"

struct history;

void history_create(struct session *s, struct history **ret); /* the caller keeps `s` open */
void history_destroy(struct history *h);                      /* accepts NULL */

struct history_question {
    struct error *(*look)(void *context, struct history_value *ret);
    void *context;
    struct look_points points;
    /* Returns the value as a number; may be NULL. If there are too many changes, those with the
     * smallest and the largest number are kept. */
    bool (*measure)(void *context, const struct history_state *state, double *ret);
    const char *key;        /* identifies the question; NULL: the answer is not kept */
    struct moment from, to; /* changes after `from`, up to `to` */
    enum session_direction order; /* FORWARD: oldest first */
    /* maximum number of changes; 0: all, or as many as are kept, evenly over the whole stretch */
    u64 most;
};

struct history_change {
    struct moment at;    /* the instruction, or the system call, that made the change */
    struct moment after; /* the moment after the change */
    u32 thread;
    struct history_state old, new;
    /* the value was optimized out for a while, and the change may have been at any time in
     * between */
    bool unseen;
};

struct history_answer {
    const struct history_change *changes; /* in the requested order */
    size_t count;
    u64 left_out;     /* number of changes left out between these, because there were too many */
    bool more;        /* there are others that were not requested */
    bool unseen;      /* the value was optimized out in parts of the stretch */
    bool interrupted; /* the answer has what was found until then: */
    struct moment reached; /* how far the search came */
};

/* The answer is valid until the next question. */
struct error *history_ask(struct history *h, const struct history_question *q,
                          struct history_answer *ret);

/* A `look` function for a range of memory; its context is a struct history_range. */
struct history_range {
    u64 address, size;
};
struct error *history_look_at_range(void *context, struct history_value *ret);

#endif
