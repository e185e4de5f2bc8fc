/* Clocks and the log: see clock_log.h.
 *
 * This is the only place where a clock meets a recording.
 */
#include "engine/calls/clock_log.h"

#include "engine/log/log.h"

void logged_clock(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                  struct clock_answer *ret)
{
    if (log_clock_known(source, args, ret))
        return;
    clocks_ask(source, args, ret);
    log_clock_asked(source, ret);
}
