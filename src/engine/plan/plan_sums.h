/* Sums: counting points (plan_points.h) several at once, far from the one that is looked for.
 *
 * The variant VARIANT_SUMS has the blocks of a plain replay, which add up the points of a stretch
 * at once (x86_64/sums.h) and never enter the engine for them. Ticks keep the run from passing the
 * nth point: between two ticks the pc only grows, so each translated point can be met only once.
 * The engine grants only as many ticks as cannot reach the nth point. When these become few, the
 * last points are counted one by one, with VARIANT_POINTS.
 */
#ifndef ENGINE_PLAN_SUMS_H
#define ENGINE_PLAN_SUMS_H

#include "base/types.h"

/* One more point is in a fragment. The other function: no fragment has any. */
void plan_sums_note_point(void);
void plan_sums_forget(void);

/* The number of ticks in which certainly fewer than `left` points are met. 0 if even one tick is
 * not certain, or if there are so few that entering the engine at each point is faster. */
u64 plan_sums_ticks(u64 left);

#endif
