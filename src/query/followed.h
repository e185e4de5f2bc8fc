/* Followed: where that what an expression means is written or read, though it means other places at
 * other times.
 *
 * These are the events of a watchpoint on `p->next->v`: each store that changes the value where it
 * lies then, and each change of a pointer on the way that leads to another value.
 */
#ifndef QUERY_FOLLOWED_H
#define QUERY_FOLLOWED_H

#include "query/subject.h"

struct followed_question {
    struct subject *subject;
    u32 kind;       /* SITE_STORE, SITE_LOAD or SITE_ACCESS */
    bool any_store; /* of the same value, too */
    u32 thread;     /* whose doing it is; or CONTROL_THREAD_ANY */
    struct subject *condition;  /* must hold after the event; NULL: none */
    struct moment from, to;     /* what happens after `from`, up to `to` */
    enum session_direction direction;
    u64 nth;        /* at least 1 */
};

struct followed_answer {
    bool found, interrupted;
    struct moment reached;   /* how far it came */
    struct plan_hit hit;     /* of the value, or of a pointer on the way */
    bool is_way;             /* the latter; or it was seen at a step point */
    struct history_state old, new; /* the value before and after */
};

struct error *followed_ask(struct session *s, const struct followed_question *q,
                           struct followed_answer *ret);
void followed_answer_deinit(struct followed_answer *a);

#endif
