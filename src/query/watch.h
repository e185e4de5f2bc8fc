/* A watch: a value of the program, and the events at which it is written or read.
 *
 * A value that is always at one address has a data site, with the condition compiled, and the
 * engine finds its events. Any other value (followed pointers, registers, a condition that cannot
 * be compiled) has no data site: watch_ask() finds its events by a question over time.
 *
 * A local is watched as long as its frame exists. The watch also has sites where the frame ends and
 * begins, so that a movement stops there.
 */
#ifndef QUERY_WATCH_H
#define QUERY_WATCH_H

#include "query/subject.h"

struct watch {
    struct subject *subject;
    struct subject *condition; /* must hold after the event; NULL: none */
    u8 *code;                  /* the condition, compiled; NULL: it is evaluated at each event */
    size_t code_size;
    u32 kind;                           /* SITE_STORE, SITE_LOAD or SITE_ACCESS */
    bool any_store;                     /* also stores that do not change the value */
    u32 thread;                         /* only events of this thread, or CONTROL_THREAD_ANY */
    bool follows;                       /* has no data site: its events are found by questions */
    /* the local's frame is known to exist between these moments */
    struct moment alive_from, alive_to;
    struct moment begin, end;           /* where the frame begins and ends; tick 0: not known */
};

struct watch_order {
    struct subject *subject; /* taken */
    u32 kind, thread;
    bool any_store;
    struct moment at; /* where the watch is made; the frame exists there */
};
struct watch *watch_create(const struct watch_order *o);
void watch_destroy(struct watch *w); /* accepts NULL */

/* Sets the condition and takes ownership; NULL: none. Returns NULL, or why the condition must be
 * evaluated at each change. */
struct error *watch_set_condition(struct watch *w, struct subject *condition);

/* The purpose of a site. */
enum watch_role { WATCH_DATA, WATCH_FRAME_ENDS, WATCH_FRAME_BEGINS };
enum { WATCH_SITES = 3 };
struct watch_site {
    enum watch_role role;
    struct breakpoint breakpoint; /* its condition belongs to the watch */
};
size_t watch_list_sites(const struct watch *w, struct watch_site ret[WATCH_SITES]);

/* For a moment that may have been reached without the sites: finds whether the frame ended or began
 * on the way. *ret_changed: the sites have changed. ERROR_INTERRUPTED: it is not known. */
struct error *watch_know_life(struct watch *w, struct moment here, bool *ret_changed);
/* A movement with the sites came here and did not stop at either end of the frame. */
void watch_moved(struct watch *w, struct moment here);

/* Another track was opened. False: the watch was on a frame of the previous one. */
bool watch_rebind(struct watch *w, struct session *s, struct source *source);

/* Finds the nth event of a followed watch; for a local, only while its frame exists. */
struct watch_question {
    struct moment from, to; /* events after `from`, up to `to` */
    enum session_direction direction;
    u64 nth; /* at least 1 */
};
struct watch_answer {
    bool found, interrupted;
    struct moment reached;         /* how far the search came */
    struct plan_hit hit;           /* the event: a store to the value, or to a pointer on the way */
    bool is_way; /* it is a pointer on the way; or the change was seen at a step point */
    struct history_state old, new; /* the value before and after */
};
struct error *watch_ask(const struct watch *w, const struct watch_question *q,
                        struct watch_answer *ret);
void watch_answer_deinit(struct watch_answer *a);

#endif
