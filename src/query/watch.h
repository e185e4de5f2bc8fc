/* A watch: a value of the program, and the events at which it is written or read.
 *
 * What lies at one place at all times has a data site, with the condition compiled, and the engine
 * finds its events.  Anything else (pointers that are followed, registers, a condition that cannot
 * be compiled) has none: watch_ask() finds its events by a question over time.
 *
 * A local is watched as long as its frame lives. Where the frame ends and where it begins are sites
 * of the watch, too: a movement that stops there tells when that was.
 */
#ifndef QUERY_WATCH_H
#define QUERY_WATCH_H

#include "query/subject.h"

struct watch {
    struct subject *subject;
    struct subject *condition; /* has to hold after the event; NULL: none */
    u8 *code;                  /* the condition, compiled; NULL: it is looked at */
    size_t code_size;
    u32 kind;                           /* SITE_STORE, SITE_LOAD or SITE_ACCESS */
    bool any_store;                     /* of the same value, too */
    u32 thread;                         /* whose doing it is; or CONTROL_THREAD_ANY */
    bool follows;                       /* has no data site, but questions */
    struct moment alive_from, alive_to; /* the frame of a local is known to live in between */
    struct moment begin, end;           /* of the frame; tick 0: not known */
};

struct watch_order {
    struct subject *subject; /* taken */
    u32 kind, thread;
    bool any_store;
    struct moment at; /* where it is made: the frame lives there */
};
struct watch *watch_create(const struct watch_order *o);
void watch_destroy(struct watch *w); /* accepts NULL */

/* Takes the condition; NULL: none.  Returns NULL, or why it has to be looked at at each change. */
struct error *watch_set_condition(struct watch *w, struct subject *condition);

/* What it is to a session. */
enum watch_role { WATCH_DATA, WATCH_FRAME_ENDS, WATCH_FRAME_BEGINS };
enum { WATCH_SITES = 3 };
struct watch_site {
    enum watch_role role;
    struct breakpoint breakpoint; /* its condition is lent */
};
size_t watch_list_sites(const struct watch *w, struct watch_site ret[WATCH_SITES]);

/* The current moment may have been reached without the sites: did the frame end, or begin, on the
 * way?  *ret_changed: the sites are others now.  ERROR_INTERRUPTED: it is not known. */
struct error *watch_know_life(struct watch *w, struct moment here, bool *ret_changed);
/* A movement with the sites came here without a stop at either end of the frame. */
void watch_moved(struct watch *w, struct moment here);

/* Another track is open.  False: it was about a frame of the one before. */
bool watch_rebind(struct watch *w, struct session *s, struct source *source);

/* The nth event of what is followed; of a local only while its frame lives. */
struct watch_question {
    struct moment from, to; /* what happens after `from`, up to `to` */
    enum session_direction direction;
    u64 nth; /* at least 1 */
};
struct watch_answer {
    bool found, interrupted;
    struct moment reached;         /* how far it came */
    struct plan_hit hit;           /* of the value, or of a pointer on the way */
    bool is_way;                   /* the latter; or it was seen at a step point */
    struct history_state old, new; /* the value before and after */
};
struct error *watch_ask(const struct watch *w, const struct watch_question *q,
                        struct watch_answer *ret);
void watch_answer_deinit(struct watch_answer *a);

#endif
