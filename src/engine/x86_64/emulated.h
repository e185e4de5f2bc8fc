/* Decides which instructions the engine emulates (machine.h), where there is a choice. */
#ifndef ENGINE_EMULATED_H
#define ENGINE_EMULATED_H

#include "base/types.h"
#include "engine/x86_64/decode.h"

/* Clocks, random numbers and the core's number: true if the engine provides them, because they must
 * be reproducible or logged. Otherwise the processor does. */
bool emulated_clock(const struct insn *i);
/* A number for everything on which these choices depend: it never changes. */
u32 emulated_kind(void);

/* xsave and xsavec: true if the engine emulates them. Otherwise it corrects what the processor
 * saved. */
bool emulated_xsave(const struct insn *i);
bool emulated_is_xsave(const struct insn *i);  /* but not fxsave */
bool emulated_is_xsavec(const struct insn *i);

#endif
