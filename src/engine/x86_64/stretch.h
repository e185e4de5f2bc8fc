/* Stretches: what the code between two ticks does to memory. */
#ifndef ENGINE_STRETCH_H
#define ENGINE_STRETCH_H

#include "base/types.h"

enum stretch {
    STRETCH_READS,  /* writes nothing, except pushes */
    STRETCH_TRIES,  /* writes only by locked instructions, like a thread that spins for a lock */
    STRETCH_WRITES, /* or it is not known */
};

/* Classifies the code from `from` to the transfer that went to `to`. */
enum stretch stretch_between(u64 from, u64 to);

#endif
