/* The engine's last words.
 *
 * engine_stop() is for what is past repair: it says one sentence on stderr, "ebb: WHY: DETAIL", and
 * ends the whole process with status 125.  engine_refuse() ends a start that cannot be made (bad
 * program file, no memory) with a sentence and the status a shell would give.  assert() is kept in
 * release builds and prints the moment.
 */
#ifndef ENGINE_STOP_H
#define ENGINE_STOP_H

#include "base/types.h"

_Noreturn void engine_stop(const char *why, const char *detail);
_Noreturn void engine_refuse(int status, const char *what, const char *why);
_Noreturn void engine_assertion_failed(const char *expression, const char *file, int line);

#define assert(expression)                                                                         \
    ((expression) ? (void)0 : engine_assertion_failed(#expression, __FILE__, __LINE__))

#endif
