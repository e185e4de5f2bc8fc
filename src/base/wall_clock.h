/* The time of day, in the form used by recordings. */
#ifndef BASE_WALL_CLOCK_H
#define BASE_WALL_CLOCK_H

#include "base/types.h"

/* Nanoseconds since 1970. */
u64 wall_clock_now(void);

#endif
