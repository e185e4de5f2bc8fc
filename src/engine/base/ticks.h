/* Ticks: the guest's time, counted in translated code.
 *
 * Each block decrements one of several counters that lie in one cache line (a single one would be a
 * chain of store forwardings); the tick is the sum of what was granted less what is left.  A
 * counter at zero brings the engine back.
 */
#ifndef ENGINE_TICKS_H
#define ENGINE_TICKS_H

#include "base/types.h"

void ticks_start(void);
/* So many have passed already. */
void ticks_start_at(u64 tick);
u64 ticks_now(void);
/* Transfers that the engine makes itself: signal delivery, sigreturn, thread switch. */
void ticks_add(u64 n);
/* Grants so much that about `budget` ticks pass before the engine is back. */
void ticks_grant(u64 budget);
/* Brings the engine back at the next tick. Async-signal-safe; time does not change. */
void ticks_expire(void);

#endif
