/* Stretches: what the code between two ticks does to memory. */
#ifndef ENGINE_STRETCH_H
#define ENGINE_STRETCH_H

#include "base/types.h"

enum stretch {
    STRETCH_READS,  /* pushes apart, it writes nothing */
    STRETCH_TRIES,  /* only by instructions with a lock, as one that spins for a lock does */
    STRETCH_WRITES, /* or it could not be told */
};

/* Of the code from `from` to the transfer that went to `to`. */
enum stretch stretch_between(u64 from, u64 to);

#endif
