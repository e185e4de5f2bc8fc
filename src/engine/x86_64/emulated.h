/* Which instructions the engine does itself (machine.h) instead of the processor, where there is
 * a choice. */
#ifndef ENGINE_EMULATED_H
#define ENGINE_EMULATED_H

#include "base/types.h"
#include "engine/x86_64/decode.h"

/* Clocks, random numbers and the core's number: does the engine give them, because they are to be
 * reproducible or logged?  Otherwise the processor does. */
bool emulated_clock(const struct insn *i);

/* xsave and xsavec: does the engine do them itself?  Otherwise it mends what the processor
 * saved. */
bool emulated_xsave(const struct insn *i);
bool emulated_is_xsave(const struct insn *i);  /* and not fxsave */
bool emulated_is_xsavec(const struct insn *i);

#endif
