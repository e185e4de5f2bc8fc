/* Machine: the instructions that the engine does itself, on the guest's state in cpu. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "base/types.h"
#include "engine/x86_64/decode.h"

/* Clocks, random numbers and the core's number: does the engine give them, because they are to be
 * reproducible or logged?  Else the processor does. */
bool machine_owns(const struct insn *i);

/* xsave and xsavec: does the engine do them itself?  Else it mends what the processor saved. */
bool machine_stores(const struct insn *i);

/* Does the instruction at cpu->rip; it is one that the block reader left for EXIT_EMULATE. */
void machine_emulate(void);

#endif
