/* Sums: see plan_sums.h. */
#include "engine/plan/plan_sums.h"

#include "engine/translate/fragment.h"
#include "engine/x86_64/block.h"

enum { TICKS_LEAST = 1024 }; /* a visit to the engine takes as long as some tens of ticks */

static struct {
    u64 translated; /* number of points; includes those of fragments that were dropped one by one */
    u32 generation;
} sums;

/* All fragments may have been dropped. */
static u64 points_translated(void)
{
    if (sums.generation != fragments.generation)
        sums.translated = 0;
    sums.generation = fragments.generation;
    return sums.translated;
}

void plan_sums_note_point(void)
{
    sums.translated = points_translated() + 1;
}

void plan_sums_forget(void)
{
    sums.translated = 0;
}

/* Ticks are granted before a new block is translated; and the rest of the current tick counts as
 * one, too. */
u64 plan_sums_ticks(u64 left)
{
    u64 in_a_tick = points_translated() + BLOCK_INSNS;
    u64 ticks = left / in_a_tick;
    return ticks > TICKS_LEAST ? ticks - 2 : 0;
}
