/* Points of a plan: addresses that are counted in translated code (log/control.h).
 *
 * The variant of translations with points (fragment.h) ends blocks in front of each, and counts
 * where a block begins at one:
 *
 *     cfa = register + offset
 *     cfa < base: does not count
 *     cfa <= above: point_left--, at 0 to the engine
 *     cfa > outer: does not count
 *     else: the engine decides
 *
 * so that a pass over a hundred million statements costs a few instructions for each; and less
 * where they are counted in sums (plan_sums.h). Points that the engine counts itself (single
 * instructions, frames that are harder to find) go through plan_points_meet().
 */
#ifndef ENGINE_PLAN_POINTS_H
#define ENGINE_PLAN_POINTS_H

#include "log/control.h"

/* Takes a table of points, a file (log/point_table.h): 0, or an errno.  Plans name it by its id. */
u32 plan_points_take(i32 file, u64 size);
/* Can a plan count those, with these frames?  NULL, or one sentence why it cannot. */
const char *plan_points_check(u64 id, const struct plan_frame *frame, u32 frames);

/* Takes the frames of plan_parts. */
void plan_points_install(void);
bool plan_points_on(void);

/* The instruction at cpu->rip is about to be executed; `counted`: translated code has seen to
 * its point. */
void plan_points_meet(bool counted);

/* A block was entered at cpu->rip that counts the point there, which has been met before. */
void plan_points_met_before(void);

/* At the start of a pass that counts: the variant of translations, given what data sites need.  And
 * at each boundary: it is another one where the nth point is near. */
u8 plan_points_variant(u8 for_data);
void plan_points_approach(void);
/* The ticks that may pass before the boundary must be looked at again, for the sake of points;
 * ~0: any. */
u64 plan_points_ticks(void);

/* Another thread may be running. */
void plan_points_note_thread(u32 ordinal);

u64 plan_points_counted(void);
/* Has the nth been met? */
bool plan_points_due(void);
/* When a point of the base's frame was last outside of its scope; tick 0: none was. */
void plan_points_left(u64 *ret_tick, u64 *ret_pc, u32 *ret_scope);

#endif
