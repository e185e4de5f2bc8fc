/* A value at one moment, in the form in which it is compared with earlier ones: bytes of memory, a
 * text, or nothing. */
#ifndef QUERY_VALUE_STATE_H
#define QUERY_VALUE_STATE_H

#include "session/session.h"
#include "session/trace.h"

/* What a look says. */
struct history_value {
    u64 address, size; /* where it lies; size 0: nowhere, it is computed */
    char *text;        /* size 0: the value, or why there is none; xalloc'd, taken */
    bool missing;      /* there is no value; two missing values are equal, whatever the reasons */
    bool gone;         /* missing, since the compiler has optimised it away here: it may have one
                        * all the same */
    u8 not_first, not_last; /* bits of the first and last byte that are not part of it */
};

struct history_state {
    u64 address;
    size_t size;
    u8 *bytes;  /* size of them */
    char *text; /* of a computed or missing value; otherwise NULL */
    bool missing, gone;
    u8 not_first, not_last;
};

void history_state_deinit(struct history_state *v);
struct history_state history_state_copy(const struct history_state *v);
bool history_state_same(const struct history_state *a, const struct history_state *b);

/* Looks with the function, and reads what it says. *noted lists the memory that was read on the
 * way; to be freed. */
struct error *history_state_look(struct session *s,
                                 struct error *(*look)(void *context, struct history_value *ret),
                                 void *context, struct history_state *ret,
                                 struct session_noted **noted, size_t *noted_count);
/* The current bytes of a range; bytes that are not mapped count as zeros. */
struct error *history_state_read(struct session *s, u64 address, size_t size,
                                 struct history_state *ret);

/* The same at another moment. */
struct error *history_state_at(struct session *s, struct moment at, u64 address, size_t size,
                               struct history_state *ret);

/* Sites with PLAN_ENDS, in a list of struct plan_site, on what was read on the way to the value,
 * but for the value itself. */
struct list;
void history_state_lay_way(const struct history_state *v, const struct session_noted *noted,
                           size_t count, struct list *sites);

/* Code at which it is looked, besides: what is in registers changes without a store.  None if count
 * is 0.  A stretch with such points is one part, from its beginning: where another would begin it
 * is not known what the value was at the last point before. */
struct look_points {
    const u64 *pcs; /* lent */
    size_t count;
    u32 thread;
};
/* Their sites. */
void look_points_lay(const struct look_points *points, struct list *sites);

#endif
