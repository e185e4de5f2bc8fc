/* System calls of a copy that has left the recording: somebody calls a function of the program in it, to look at a value.
 *
 * Memory works, and output to the terminal; whatever would ask or change the world is refused with ENOSYS.
 */
#ifndef ENGINE_SCRATCH_CALLS_H
#define ENGINE_SCRATCH_CALLS_H

#include "base/types.h"

struct call;

/* Is the call made as in an ordinary run? */
bool scratch_allows(const struct call *call);
/* The answer to one that is not. */
i64 scratch_answer(const struct call *call);

#endif
