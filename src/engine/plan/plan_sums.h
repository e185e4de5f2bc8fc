/* Sums: counting points (plan_points.h) several at once, far from the one that is looked for.
 *
 * The variant VARIANT_SUMS has the blocks of a plain replay, which add up the points of a stretch
 * in one go (x86_64/sums.h) and never come to the engine for them. Ticks keep the run from passing
 * the nth point: from one to the next the pc only grows, so that each point that was translated can
 * be met but once, and so many ticks are granted as cannot bring that many points. When those
 * become few, the last ones are counted one by one, with VARIANT_POINTS.
 */
#ifndef ENGINE_PLAN_SUMS_H
#define ENGINE_PLAN_SUMS_H

#include "base/types.h"

/* One more point is in a fragment.  And: no fragment has any. */
void plan_sums_note_point(void);
void plan_sums_forget(void);

/* The number of ticks in which certainly fewer than `left` points are met. 0 if even one tick is
 * not certain, or if the number is so small that asking the engine at each point is quicker. */
u64 plan_sums_ticks(u64 left);

#endif
