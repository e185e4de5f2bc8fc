/* Slices: how long a thread may keep the baton while others want it, in ticks. */
#ifndef ENGINE_SLICE_H
#define ENGINE_SLICE_H

#include "base/types.h"

/* A thread has got the baton from another. */
void slice_begin(void);
/* What the holder is granted next. */
u64 slice_grant(void);
/* Chaos: code that has hardly run yet is where a switch is likeliest to matter: the loop that waits
 * for a slice to end hides it.  Such code is not linked until the engine has seen it so often, and
 * each time it may lose the baton. */
enum { CHAOS_VISITS = 64 };
bool slice_ends_by_chance(u32 visits);

/* At a boundary where the slice is used up: should the baton go to a waiter? `wanted`: another
 * process waits. */
bool slice_over(bool wanted);

#endif
