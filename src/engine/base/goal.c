/* The goal: see goal.h. */
#include "engine/base/goal.h"

#include "engine/base/ticks.h"
#include "engine/x86_64/cpu.h"

struct goal goal;

bool goal_reached(u64 tick, u64 pc)
{
    u64 now = ticks_now();
    return now > tick || (now == tick && cpu->rip >= pc);
}
