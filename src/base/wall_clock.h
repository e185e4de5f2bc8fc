/* The time of day, as recordings have it. */
#ifndef BASE_WALL_CLOCK_H
#define BASE_WALL_CLOCK_H

#include "base/types.h"

/* Nanoseconds since 1970. */
u64 wall_clock_now(void);

#endif
