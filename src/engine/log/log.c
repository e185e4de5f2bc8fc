/* Who owns the log: see log.h. */
#include "engine/log/log.h"

const struct log_owner *log_owner;

void log_own(const struct log_owner *owner)
{
    log_owner = owner;
}
