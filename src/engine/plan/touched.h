/* Finds the memory that the guest's next instruction accesses, from the registers. */
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

/* For the instruction at cpu->rip; false if it cannot be fetched. */
bool touched_find(struct touched *ret);

/* A repeated instruction was executed: reduces the ranges to what it reached. */
void touched_settle(struct touched *t);

#endif
