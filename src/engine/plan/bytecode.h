/* Agent expressions: the bytecode in which conditions come.
 *
 * A stack machine of 64-bit integers, described in gdb's manual (appendix "The GDB Agent Expression
 * Mechanism"). Registers have gdb's numbers (GDB_* of base/registers.h); the lower halves of xmm0
 * to xmm15 are available. Opcodes that collect trace data only remove their operands from the
 * stack; trace variables are refused. gdb's manual reserves only a prefix for floating point; the
 * opcodes after it are ebb's own, on doubles stored as 64-bit integers.
 *
 * It runs between two instructions of the guest, on bytes that came from outside, so its steps and
 * its stack are limited, and it ends for every input. Freestanding.
 */
#ifndef ENGINE_BYTECODE_H
#define ENGINE_BYTECODE_H

#include "base/types.h"

/* Functions for what an expression reads; false: not available, and the expression fails. */
struct bytecode_host {
    /* reads 1, 2, 4 or 8 bytes, little-endian, zero-extended */
    bool (*memory)(u64 address, u32 size, u64 *ret);
    bool (*reg)(u32 number, u64 *ret);
};

/* Returns the value at `end`; false if the expression failed. */
bool bytecode_run(const u8 *code, u32 size, const struct bytecode_host *host, u64 *ret);

/* After the prefix OP_FLOAT (0x01). Those from FLOAT_ADD on take two items, those from FLOAT_EQUAL
 * on compare. */
enum bytecode_float_op {
    FLOAT_FROM_SINGLE = 1, FLOAT_ROUND_SINGLE, FLOAT_FROM_SIGNED, FLOAT_FROM_UNSIGNED,
    FLOAT_TO_SIGNED,
    FLOAT_ADD = 16, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV, FLOAT_EQUAL, FLOAT_LESS, FLOAT_NOT_MORE,
};
/* Executes the opcode on the items at `top` and below. Returns how many items it took (for one
 * result), 0: there is no such opcode. */
u32 bytecode_float(u8 op, u64 *top);
/* Returns the lower half of a vector register, from the processor. */
u64 bytecode_vector_register(u32 number);

#endif
