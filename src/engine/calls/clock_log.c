/* Clocks and the log: see clock_log.h.
 *
 * This is the only place where a clock meets a recording.
 */
#include "engine/calls/clock_log.h"

#include "engine/track/log_mode.h"
#include "engine/track/record.h"
#include "engine/track/replay.h"

void logged_clock(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                  struct clock_answer *ret)
{
    if (log_mode == LOG_REPLAY) {
        bool asked = clocks_expect(source, args, ret);
        replay_clock(source, ret->value, ret->count, asked);
        return;
    }
    clocks_ask(source, args, ret);
    if (log_mode == LOG_RECORD)
        record_clock(source, ret->value, ret->count);
}
