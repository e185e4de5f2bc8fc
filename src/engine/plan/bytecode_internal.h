/* Shared by the files that execute bytecode: opcodes, and their effect on numbers. */
#ifndef ENGINE_BYTECODE_INTERNAL_H
#define ENGINE_BYTECODE_INTERNAL_H

#include "base/types.h"

enum opcode {
    OP_FLOAT = 0x01, OP_ADD = 0x02, OP_SUB = 0x03, OP_MUL = 0x04, OP_DIV_SIGNED = 0x05,
    OP_DIV_UNSIGNED = 0x06,
    OP_REM_SIGNED = 0x07, OP_REM_UNSIGNED = 0x08, OP_LSH = 0x09, OP_RSH_SIGNED = 0x0a,
    OP_RSH_UNSIGNED = 0x0b, OP_TRACE = 0x0c, OP_TRACE_QUICK = 0x0d, OP_LOG_NOT = 0x0e,
    OP_BIT_AND = 0x0f, OP_BIT_OR = 0x10, OP_BIT_XOR = 0x11, OP_BIT_NOT = 0x12, OP_EQUAL = 0x13,
    OP_LESS_SIGNED = 0x14, OP_LESS_UNSIGNED = 0x15, OP_EXT = 0x16, OP_REF8 = 0x17, OP_REF16 = 0x18,
    OP_REF32 = 0x19, OP_REF64 = 0x1a, OP_IF_GOTO = 0x20, OP_GOTO = 0x21, OP_CONST8 = 0x22,
    OP_CONST16 = 0x23, OP_CONST32 = 0x24, OP_CONST64 = 0x25, OP_REG = 0x26, OP_END = 0x27,
    OP_DUP = 0x28, OP_POP = 0x29, OP_ZERO_EXT = 0x2a, OP_SWAP = 0x2b, OP_TRACENZ = 0x2f,
    OP_TRACE16 = 0x30, OP_PICK = 0x32, OP_ROT = 0x33,
};

/* Most significant byte first. */
static inline u64 bytecode_number(const u8 *at, u32 bytes)
{
    u64 value = 0;
    if (bytes == sizeof(value)) { /* an address, in nearly every condition */
        __builtin_memcpy(&value, at, sizeof(value));
        return __builtin_bswap64(value);
    }
    for (u32 n = 0; n < bytes; n++)
        value = value << 8 | at[n];
    return value;
}

static inline u64 bytecode_extend(u64 value, u64 bits, bool sign)
{
    if (bits >= 64)
        return value;
    u64 low = value & (((u64)1 << bits) - 1);
    return sign && bits && low >> (bits - 1) ? low | ~(u64)0 << bits : low;
}

/* A shift by 64 or more shifts out everything, as repeated shifts would. */
static inline u64 bytecode_shift_right(u64 a, u64 b, bool sign)
{
    u64 filling = sign && (i64)a < 0 ? ~(u64)0 : 0;
    if (b >= 64)
        return filling;
    return b ? a >> b | filling << (64 - b) : a;
}

/* Opcodes that take two items, give one, and cannot fail. */
static inline bool bytecode_is_binary(u8 op)
{
    return (op >= OP_ADD && op <= OP_MUL) || (op >= OP_LSH && op <= OP_RSH_UNSIGNED) ||
           (op >= OP_BIT_AND && op <= OP_BIT_XOR) || (op >= OP_EQUAL && op <= OP_LESS_UNSIGNED);
}

static inline u64 bytecode_binary(u8 op, u64 a, u64 b)
{
    switch (op) {
    case OP_ADD:           return a + b;
    case OP_SUB:           return a - b;
    case OP_MUL:           return a * b;
    case OP_LSH:           return b < 64 ? a << b : 0;
    case OP_RSH_SIGNED:    return bytecode_shift_right(a, b, true);
    case OP_RSH_UNSIGNED:  return bytecode_shift_right(a, b, false);
    case OP_BIT_AND:       return a & b;
    case OP_BIT_OR:        return a | b;
    case OP_BIT_XOR:       return a ^ b;
    case OP_EQUAL:         return a == b;
    case OP_LESS_SIGNED:   return (i64)a < (i64)b;
    default:               return a < b; /* OP_LESS_UNSIGNED */
    }
}

#endif
