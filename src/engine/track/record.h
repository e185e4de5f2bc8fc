/* Recording: what the program cannot compute itself, written to the ring at the moment it happens.
 *
 * If ebb is gone the program goes on, unrecorded.
 */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include "engine/log/log.h"

extern const struct log_owner log_record;

#endif
