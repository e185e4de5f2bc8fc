/* Slices: how many ticks a thread may keep the baton while others want it. */
#ifndef ENGINE_SLICE_H
#define ENGINE_SLICE_H

#include "base/types.h"

/* A thread has got the baton from another. */
void slice_begin(void);
/* The number of ticks that the holder is granted next. */
u64 slice_grant(void);
/* Chaos: a switch matters most in code that has hardly run yet, which the loop that waits for the
 * end of a slice would hide. Such code is not linked until the engine has seen it this many times,
 * and each time it may lose the baton. */
enum { CHAOS_VISITS = 64 };
bool slice_ends_by_chance(u32 visits);

/* At a boundary where the slice is used up: true if the baton should go to a waiter. `wanted`:
 * another process waits. */
bool slice_over(bool wanted);

#endif
