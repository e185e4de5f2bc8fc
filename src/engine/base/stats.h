/* What `ebb exec --stats`, or the setting stats=1, prints when the process ends. */
#ifndef ENGINE_STATS_H
#define ENGINE_STATS_H

#include "base/types.h"

struct stats {
    u64 fragments;
    u64 instructions; /* translated */
    u64 flushes;
    u64 lookup_slots; /* in the table of plain fragments, once it has grown; or 0 */
    u64 lookups_missed;
    u64 system_calls;
    u64 code_writes; /* faults on watched pages */
};

extern struct stats stats;

/* Figures from other units; NULL if no unit provides them. */
extern struct stats_sources {
    u64 (*cache_bytes)(void);
    u64 (*changes)(void); /* changes of the memory named by the setting watch */
} stats_sources;

void stats_start(void);
void stats_print(void); /* if the settings request it */
void stats_forked(void); /* in a child: its counts begin at 0 */
void stats_copied(void); /* in a copy of a replay: the same, and it has another stderr */

#endif
