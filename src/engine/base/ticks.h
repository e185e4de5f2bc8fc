/* Ticks: the guest's time, counted in translated code.
 *
 * Each block decrements one of several counters in one cache line (a single counter would be a
 * chain of store forwardings). The tick is the sum of what was granted minus what is left. A
 * counter at zero returns to the engine.
 */
#ifndef ENGINE_TICKS_H
#define ENGINE_TICKS_H

#include "base/types.h"

void ticks_start(void);
/* This many have already passed. */
void ticks_start_at(u64 tick);
u64 ticks_now(void);
/* Adds ticks for transfers that the engine makes itself: signal delivery, sigreturn, thread
 * switch. */
void ticks_add(u64 n);
/* Sets the counters so that about `budget` ticks pass before control returns to the engine. */
void ticks_grant(u64 budget);
/* Makes control return to the engine at the next tick. Async-signal-safe; the tick does not
 * change. */
void ticks_expire(void);

#endif
