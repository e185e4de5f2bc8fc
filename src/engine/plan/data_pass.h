/* Executes an instruction that may access watched memory, in the middle of translated code
 * (EXIT_DATA).
 *
 * Nearly always there is no hit: the instruction does not touch the watched bytes, or its access
 * does not count. So nothing else is checked before or after it. A plain instruction is executed
 * alone, and then its fragment continues after it.
 */
#ifndef ENGINE_DATA_PASS_H
#define ENGINE_DATA_PASS_H

#include "base/types.h"

/* Returns the reason for which translated code returned then, or EXIT_DATA_TOUCHED: the caller must
 * execute the instruction at rip alone. */
u64 data_pass(void);

#endif
