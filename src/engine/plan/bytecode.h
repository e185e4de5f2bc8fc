/* Agent expressions: the bytecode in which conditions come.
 *
 * A stack machine of 64-bit integers, described in gdb's manual (appendix "The GDB Agent Expression
 * Mechanism").  Registers have the numbers of gdb's description of amd64 for Linux.  Opcodes that collect trace data
 * only take their operands from the stack; trace variables are refused.  Of floating point gdb's manual has only a prefix; behind
 * it are opcodes of our own, on doubles as the 64 bits that they are.
 *
 * It runs between two instructions of the guest, on bytes that came from outside: it has so many steps, so much stack, and
 * an end, whatever the bytes are.  Freestanding.
 */
#ifndef ENGINE_BYTECODE_H
#define ENGINE_BYTECODE_H

#include "base/types.h"

/* What an expression can ask for; false: it is not to be had, and the expression has failed. */
struct bytecode_host {
    bool (*memory)(u64 address, u32 size, u64 *ret); /* 1, 2, 4 or 8 bytes, the lowest first; 0 above them */
    bool (*reg)(u32 number, u64 *ret);
};

/* The value at `end`; false if it came to none. */
bool bytecode_run(const u8 *code, u32 size, const struct bytecode_host *host, u64 *ret);

enum bytecode_register {
    BYTECODE_RAX, BYTECODE_RBX, BYTECODE_RCX, BYTECODE_RDX, BYTECODE_RSI, BYTECODE_RDI,
    BYTECODE_RBP, BYTECODE_RSP, BYTECODE_R8,
    BYTECODE_RIP = 16, BYTECODE_FLAGS,
    BYTECODE_CS, BYTECODE_SS, BYTECODE_DS, BYTECODE_ES, BYTECODE_FS, BYTECODE_GS,
    /* st0 to st7, eight of the x87's control registers */
    BYTECODE_XMM0 = 40, /* their lower halves; to xmm15, then mxcsr */
    BYTECODE_ORIG_RAX = 57, BYTECODE_FS_BASE, BYTECODE_GS_BASE,
};

/* Behind the prefix OP_FLOAT (0x01).  Those from FLOAT_ADD on take two items, from FLOAT_EQUAL on they compare. */
enum bytecode_float_op {
    FLOAT_FROM_SINGLE = 1, FLOAT_ROUND_SINGLE, FLOAT_FROM_SIGNED, FLOAT_FROM_UNSIGNED, FLOAT_TO_SIGNED,
    FLOAT_ADD = 16, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV, FLOAT_EQUAL, FLOAT_LESS, FLOAT_NOT_MORE,
};
/* On the items at `top` and below it; how many it took (for one result), 0: there is no such opcode. */
u32 bytecode_float(u8 op, u64 *top);
/* The lower half of a vector register, as the processor has it. */
u64 bytecode_vector_register(u32 number);

#endif
