/* A table of points: the addresses that a plan counts (log/control.h), as a file that a session
 * makes once and all its engines map.
 *
 *     struct point_table      slots times struct plan_point      scopes times u32
 *
 * Points are found by hashing with linear probing. Scopes are functions that were inlined into
 * others: the parent of scope n is at index n, and is less than n; 0 is the function itself.
 *
 * Freestanding; everything is inline.
 */
#ifndef LOG_POINT_TABLE_H
#define LOG_POINT_TABLE_H

#include "base/types.h"
#include "log/control.h"

struct point_table {
    u64 id;     /* within a session, equal tables have equal ids; not 0 */
    u32 slots;  /* a power of 2; at least one is free */
    u32 scopes;
};

static inline u64 point_table_size(u32 slots, u32 scopes)
{
    return sizeof(struct point_table) + slots * sizeof(struct plan_point) + scopes * sizeof(u32);
}

static inline struct plan_point *point_table_slots(const struct point_table *t)
{
    return (struct plan_point *)(t + 1);
}

static inline u32 *point_table_scopes(const struct point_table *t)
{
    return (u32 *)(point_table_slots(t) + t->slots);
}

/* Returns the slot of the point, or the free slot (pc 0) where it would be. */
static inline struct plan_point *point_table_slot(const struct point_table *t, u64 pc)
{
    struct plan_point *slots = point_table_slots(t);
    u32 at = (u32)(pc * 0x9e3779b97f4a7c15 >> 32) & (t->slots - 1);
    while (slots[at].pc && slots[at].pc != pc)
        at = (at + 1) & (t->slots - 1);
    return &slots[at];
}

#endif
