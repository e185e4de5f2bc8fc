/* A system call, taken from the guest's registers. */
#ifndef ENGINE_CALL_H
#define ENGINE_CALL_H

#include "base/types.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/enter.h"

enum { SYSCALL_LENGTH = 2 }; /* bytes of the instruction */

struct call {
    u64 number;
    u64 args[SYSCALL_ARGUMENTS];
};

/* The call that the guest is making. */
static inline struct call call_from_registers(void)
{
    struct call call = {.number = (u32)cpu->reg[RAX]};
    register_syscall_arguments(cpu->reg, call.args);
    return call;
}

/* Results that are not the guest's. */
enum {
    /* Nothing was done: a signal must be delivered first, then the instruction is executed
     * again. */
    CALL_AGAIN = ENGINE_CALL_NOT_MADE,
    /* All registers are already set. */
    CALL_DONE = -513,
};

#endif
