/* Passing an instruction that may touch what is watched, in the midst of translated code
 * (EXIT_DATA).
 *
 * Nearly always nothing comes of it: it does not touch it, or what it does is not a hit.  So there
 * is no look around before it or behind it.  A plain instruction that is concerned is executed
 * alone, and then its fragment goes on behind it.
 */
#ifndef ENGINE_DATA_PASS_H
#define ENGINE_DATA_PASS_H

#include "base/types.h"

/* The reason for which translated code came back then, or EXIT_DATA_TOUCHED: rip is to be
 * executed alone, by whoever asks. */
u64 data_pass(void);

#endif
