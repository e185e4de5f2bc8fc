/* Ticks: see ticks.h.
 *
 * Invariant
 *   (1) The tick is `total` minus what is left in the counters, whenever the engine runs, and also
 *       in a handler that interrupts the cache.
 */
#include "engine/base/ticks.h"

#include "base/assert.h"
#include "engine/base/settings.h"
#include "engine/x86_64/cpu.h"

static struct {
    u64 total;      /* before the last grant, plus what was granted */
    u64 granted_at; /* the tick of the last grant */
} ticks;

void ticks_start(void)
{
    ticks_start_at(0);
}

void ticks_start_at(u64 tick)
{
    ticks.total = ticks.granted_at = tick;
    for (unsigned n = 0; n < TICK_COUNTERS; n++)
        cpu->counter[n] = 0;
    ticks_grant(1);
}

u64 ticks_now(void)
{
    u64 now = ticks.total;
    for (unsigned n = 0; n < TICK_COUNTERS; n++)
        now -= cpu->counter[n];
    return now;
}

void ticks_add(u64 n)
{
    ticks.total += n;
}

/* The counters in use share the budget evenly, so that no more than `budget` ticks can pass. If it
 * is less than one for each counter, every single tick returns to the engine. */
void ticks_grant(u64 budget)
{
    u64 share = budget / settings.counters;
    if (!share)
        share = 1;
    u64 now = ticks_now();
    invariant(1, now >= ticks.granted_at);
    ticks.granted_at = now;
    ticks.total = now + TICK_COUNTERS * share;
    for (unsigned n = 0; n < TICK_COUNTERS; n++)
        cpu->counter[n] = share;
    invariant(1, ticks_now() == now);
}

void ticks_expire(void)
{
    for (unsigned n = 0; n < TICK_COUNTERS; n++) {
        if (cpu->counter[n] == 0)
            continue; /* it is already on its way to the engine */
        ticks.total -= cpu->counter[n] - 1;
        cpu->counter[n] = 1;
    }
}
