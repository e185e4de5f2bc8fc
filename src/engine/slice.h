/* Slices: how long a thread may keep the baton while others want it, in ticks. */
#ifndef ENGINE_SLICE_H
#define ENGINE_SLICE_H

#include "base/types.h"

/* A thread has got the baton from another. */
void slice_begin(void);
/* What the holder is granted next. */
u64 slice_grant(void);
/* At a boundary at which that is used up: shall the baton go on, if somebody wants it? */
bool slice_over(void);

#endif
