/* Agent expressions: the bytecode in which conditions come.
 *
 * A stack machine of 64-bit integers, described in gdb's manual (appendix "The GDB Agent Expression
 * Mechanism"). Registers have gdb's numbers (GDB_* of base/registers.h); of xmm0 to xmm15 there are
 * the lower halves. Opcodes that collect trace data only take their operands from the stack; trace
 * variables are refused. gdb's manual reserves only a prefix for floating point; after it come
 * opcodes of our own, on doubles stored as 64-bit integers.
 *
 * It runs between two instructions of the guest, on bytes that came from outside, so its steps and
 * its stack are limited, and it ends for every input. Freestanding.
 */
#ifndef ENGINE_BYTECODE_H
#define ENGINE_BYTECODE_H

#include "base/types.h"

/* What an expression can ask for; false: it is not to be had, and the expression has failed. */
struct bytecode_host {
    /* 1, 2, 4 or 8 bytes, the lowest first; 0 above them */
    bool (*memory)(u64 address, u32 size, u64 *ret);
    bool (*reg)(u32 number, u64 *ret);
};

/* The value at `end`; false if it came to none. */
bool bytecode_run(const u8 *code, u32 size, const struct bytecode_host *host, u64 *ret);

/* Behind the prefix OP_FLOAT (0x01).  Those from FLOAT_ADD on take two items, from FLOAT_EQUAL
 * on they compare. */
enum bytecode_float_op {
    FLOAT_FROM_SINGLE = 1, FLOAT_ROUND_SINGLE, FLOAT_FROM_SIGNED, FLOAT_FROM_UNSIGNED,
    FLOAT_TO_SIGNED,
    FLOAT_ADD = 16, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV, FLOAT_EQUAL, FLOAT_LESS, FLOAT_NOT_MORE,
};
/* On the items at `top` and below it; how many it took (for one result), 0: there is no such
 * opcode. */
u32 bytecode_float(u8 op, u64 *top);
/* The lower half of a vector register, as the processor has it. */
u64 bytecode_vector_register(u32 number);

#endif
