/* The engine's last messages.
 *
 * engine_stop() is for unrecoverable errors: it prints one sentence on stderr, "ebb: WHY: DETAIL",
 * and ends the whole process with status 125. engine_refuse() ends a start that is not possible
 * (bad program file, no memory) with a sentence and the status a shell would give. A failed
 * assertion (base/assert.h) prints its place and the moment, and ends like engine_stop().
 */
#ifndef ENGINE_STOP_H
#define ENGINE_STOP_H

#include "base/types.h"

_Noreturn void engine_stop(const char *why, const char *detail);
_Noreturn void engine_refuse(int status, const char *what, const char *why);

#endif
