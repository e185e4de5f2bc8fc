/* The goal: a moment that must not be run past.
 *
 * At each boundary the dispatcher calls `check`, if it is set, which sets or clears the goal and
 * handles what is due. Then the guest runs on a budget up to the goal's tick, and by single
 * instructions from there to its pc.
 */
#ifndef ENGINE_GOAL_H
#define ENGINE_GOAL_H

#include "base/types.h"

struct goal {
    void (*check)(void);
    bool set;
    u64 tick;
    u64 pc;
};

extern struct goal goal;

/* True if the guest is at the moment or past it. */
bool goal_reached(u64 tick, u64 pc);

#endif
