/* The time of day: see the header. */
#include "base/wall_clock.h"

#include <time.h>

u64 wall_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}
