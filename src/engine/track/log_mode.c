/* Whether this run is recorded or replayed: see log_mode.h.
 *
 * Known as soon as the settings are, before anything is mapped or translated: what is placed where,
 * and what is left to the processor, depends on it.
 */
#include "engine/track/log_mode.h"

#include "engine/base/settings.h"

enum log_mode log_mode;

void log_mode_start(void)
{
    if (settings.replay)
        log_mode = LOG_REPLAY;
    else
        log_mode = settings.record ? LOG_RECORD : LOG_OFF;
}
