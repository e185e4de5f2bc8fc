/* What `ebb exec --stats`, or the setting stats=1, prints when the process ends. */
#ifndef ENGINE_STATS_H
#define ENGINE_STATS_H

#include "base/types.h"

struct stats {
    u64 fragments;
    u64 instructions; /* translated */
    u64 flushes;
    u64 lookups_missed;
    u64 system_calls;
    u64 code_writes; /* faults on watched pages */
};

extern struct stats stats;

/* Figures that other units know; NULL if no unit provides them. */
extern struct stats_sources {
    u64 (*cache_bytes)(void);
    u64 (*changes)(void); /* of what the setting watch names */
} stats_sources;

void stats_start(void);
void stats_print(void); /* if asked for by the settings */
void stats_forked(void); /* the child counts from where it began */
void stats_copied(void); /* so does a copy of a replay; and it has another stderr */

#endif
