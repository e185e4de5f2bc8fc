/* Points of a plan: addresses that are counted in translated code (log/control.h).
 *
 * The variant of translations with points (fragment.h) ends blocks before each point, and counts
 * where a block begins at one:
 *
 *     cfa = register + offset
 *     cfa < base: does not count
 *     cfa <= above: point_left--, at 0 to the engine
 *     cfa > outer: does not count
 *     else: the engine decides
 *
 * So a pass over a hundred million statements costs a few instructions for each, and less where
 * they are counted in sums (plan_sums.h). Points that the engine counts itself (single
 * instructions, frames that are harder to find) go through plan_points_meet().
 */
#ifndef ENGINE_PLAN_POINTS_H
#define ENGINE_PLAN_POINTS_H

#include "log/control.h"

/* Takes a table of points, a file (log/point_table.h). Returns 0 or an errno. Plans name it by its
 * id. */
u32 plan_points_take(i32 file, u64 size);
/* Returns NULL if a plan can count these points with these frames, or one sentence why not. */
const char *plan_points_check(u64 id, const struct plan_frame *frame, u32 frames);

/* Takes the frames of plan_parts. */
void plan_points_install(void);
bool plan_points_on(void);

/* The instruction at cpu->rip is about to be executed; `counted`: translated code has already
 * counted its point. */
void plan_points_meet(bool counted);

/* A block was entered at cpu->rip that counts the point there, although it was already met. */
void plan_points_met_before(void);

/* At the start of a pass that counts: returns the variant of translations, given what data sites
 * need. Also called at each boundary: the variant changes when the nth point is near. */
u8 plan_points_variant(u8 for_data);
void plan_points_approach(void);
/* The number of ticks that may pass before the next boundary, for the sake of points; ~0: any. */
u64 plan_points_ticks(void);

/* Another thread may be running. */
void plan_points_note_thread(u32 ordinal);

u64 plan_points_counted(void);
/* True if the nth point was met. */
bool plan_points_due(void);
/* Returns when a point of the base's frame was last outside of its scope; tick 0: never. */
void plan_points_left(u64 *ret_tick, u64 *ret_pc, u32 *ret_scope);

#endif
