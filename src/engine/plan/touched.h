/* What the guest's next instruction touches, from the registers that the engine has. */
#ifndef ENGINE_TOUCHED_H
#define ENGINE_TOUCHED_H

#include "engine/x86_64/touches.h"

struct touched {
    struct touches ranges;
    struct insn insn;
    u8 bytes[INSN_MAX];
    u64 reg[GENERAL_REGISTERS];
    u64 flags;
    u64 fs_base, gs_base;
    u64 rip;
};

/* Of the instruction at cpu->rip; false if it cannot be fetched. */
bool touched_find(struct touched *ret);

/* It was a repeated one, and has been executed: ranges are what it came to. */
void touched_settle(struct touched *t);

#endif
