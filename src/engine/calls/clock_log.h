/* Results of clocks on their way to the guest: read and logged, or taken from a log. */
#ifndef ENGINE_CLOCK_LOG_H
#define ENGINE_CLOCK_LOG_H

#include "engine/calls/clocks.h"

/* Returns the result for the guest, whose state is in cpu and whose rip is at the instruction that
 * asks. */
void logged_clock(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                  struct clock_answer *ret);

#endif
