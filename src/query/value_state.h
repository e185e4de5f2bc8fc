/* A value at one moment, in the form in which it is compared with earlier ones: bytes of memory, a
 * text, or nothing. */
#ifndef QUERY_VALUE_STATE_H
#define QUERY_VALUE_STATE_H

#include "session/session.h"
#include "session/trace.h"

/* The result of a look. */
struct history_value {
    u64 address, size; /* where the value is; size 0: it is computed */
    char *text; /* size 0: the value, or why there is none; allocated, the receiver owns it */
    bool missing;      /* there is no value; two missing values are equal, whatever the reasons */
    /* missing because the compiler has optimized it away here; it may still have a value */
    bool gone;
    u8 not_first, not_last; /* bits of the first and last byte that do not belong to it */
};

struct history_state {
    u64 address;
    size_t size;
    u8 *bytes;  /* `size` bytes */
    char *text; /* of a computed or missing value; otherwise NULL */
    bool missing, gone;
    u8 not_first, not_last;
};

void history_state_deinit(struct history_state *v);
struct history_state history_state_copy(const struct history_state *v);
bool history_state_same(const struct history_state *a, const struct history_state *b);

/* Calls the look function and reads the value. *noted lists the memory that was read on the way;
 * the caller frees it. */
struct error *history_state_look(struct session *s,
                                 struct error *(*look)(void *context, struct history_value *ret),
                                 void *context, struct history_state *ret,
                                 struct session_noted **noted, size_t *noted_count);
/* Reads the current bytes of a range; unmapped bytes count as zeros. */
struct error *history_state_read(struct session *s, u64 address, size_t size,
                                 struct history_state *ret);

/* The same at another moment. */
struct error *history_state_at(struct session *s, struct moment at, u64 address, size_t size,
                               struct history_state *ret);

/* Adds sites with PLAN_ENDS to a list of struct plan_site, on the memory that was read on the way
 * to the value, but not on the value itself. */
struct list;
void history_state_lay_way(const struct history_state *v, const struct session_noted *noted,
                           size_t count, struct list *sites);

/* Addresses of code at which the value is also evaluated, because values in registers change
 * without a store. None if count is 0. A stretch with such points is searched as one part, from its
 * beginning: if a part began in the middle, the value at the last point before it would not be
 * known. */
struct look_points {
    const u64 *pcs; /* lent */
    size_t count;
    u32 thread;
};
/* Their sites. */
void look_points_lay(const struct look_points *points, struct list *sites);

/* Bytes of memory; of a bit-field, with the bits of the first and the last that are others'. */
struct value_place {
    u64 address, size;
    u8 not_first, not_last;
};
struct value_place value_place_of_bits(u64 address, u32 offset, u32 size);

#endif
