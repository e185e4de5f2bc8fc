/* Ticks: see ticks.h.
 *
 * Invariant
 *   (1) The tick is `base` plus what was granted to the counters less what is left in them, at any
 *       time when the engine runs, and also in a handler that interrupts the cache.
 */
#include "engine/ticks.h"

#include "engine/settings.h"
#include "engine/x86_64/cpu.h"

static u64 base; /* ticks before the last grant */
static u64 granted[TICK_COUNTERS];

void ticks_start(void)
{
    base = 0;
    ticks_grant(1);
}

u64 ticks_now(void)
{
    u64 now = base;
    for (unsigned n = 0; n < TICK_COUNTERS; n++)
        now += granted[n] - cpu->counter[n];
    return now;
}

void ticks_add(u64 n)
{
    base += n;
}

/* The counters in use share it evenly, so that not more than `budget` can pass, unless that is less than
 * one for each: then every single tick comes back. */
void ticks_grant(u64 budget)
{
    u64 share = budget / settings.counters;
    base = ticks_now();
    for (unsigned n = 0; n < TICK_COUNTERS; n++)
        granted[n] = cpu->counter[n] = share ? share : 1;
}

void ticks_expire(void)
{
    for (unsigned n = 0; n < TICK_COUNTERS; n++) {
        if (cpu->counter[n] == 0)
            continue; /* it is on its way to the engine already */
        granted[n] -= cpu->counter[n] - 1;
        cpu->counter[n] = 1;
    }
}
