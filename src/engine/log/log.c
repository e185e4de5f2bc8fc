/* The owner of the log, and the observer: see log.h and observer.h. */
#include "engine/log/log.h"

#include "engine/log/observer.h"

struct observer observer;
const struct log_owner *log_owner;

void log_own(const struct log_owner *owner)
{
    log_owner = owner;
}
