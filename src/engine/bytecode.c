/* Agent expressions: see bytecode.h.
 *
 * A condition is evaluated millions of times, so what counts is that the processor can run ahead: the place in the code and the top
 * of the stack are in registers, and how far they move is said by the branch that is taken, not by a table.
 *
 * Invariant
 *   (1) Before an opcode is executed its operand bytes are there, the items it takes are on the stack,
 *       and there is room for one more.
 */
#include "engine/bytecode.h"

enum { STACK_MOST = 64, STEPS_MOST = 1 << 16 };

enum opcode {
    OP_FLOAT = 0x01, OP_ADD = 0x02, OP_SUB = 0x03, OP_MUL = 0x04, OP_DIV_SIGNED = 0x05, OP_DIV_UNSIGNED = 0x06,
    OP_REM_SIGNED = 0x07, OP_REM_UNSIGNED = 0x08, OP_LSH = 0x09, OP_RSH_SIGNED = 0x0a,
    OP_RSH_UNSIGNED = 0x0b, OP_TRACE = 0x0c, OP_TRACE_QUICK = 0x0d, OP_LOG_NOT = 0x0e,
    OP_BIT_AND = 0x0f, OP_BIT_OR = 0x10, OP_BIT_XOR = 0x11, OP_BIT_NOT = 0x12, OP_EQUAL = 0x13,
    OP_LESS_SIGNED = 0x14, OP_LESS_UNSIGNED = 0x15, OP_EXT = 0x16, OP_REF8 = 0x17, OP_REF16 = 0x18,
    OP_REF32 = 0x19, OP_REF64 = 0x1a, OP_IF_GOTO = 0x20, OP_GOTO = 0x21, OP_CONST8 = 0x22,
    OP_CONST16 = 0x23, OP_CONST32 = 0x24, OP_CONST64 = 0x25, OP_REG = 0x26, OP_END = 0x27,
    OP_DUP = 0x28, OP_POP = 0x29, OP_ZERO_EXT = 0x2a, OP_SWAP = 0x2b, OP_TRACENZ = 0x2f,
    OP_TRACE16 = 0x30, OP_PICK = 0x32, OP_ROT = 0x33,
};

static u64 extend(u64 value, u64 bits, bool sign)
{
    if (bits >= 64)
        return value;
    u64 low = value & (((u64)1 << bits) - 1);
    return sign && bits && low >> (bits - 1) ? low | ~(u64)0 << bits : low;
}

/* A shift by 64 or more moves everything out, as it would one by one. */
static u64 shift_right(u64 a, u64 b, bool sign)
{
    u64 filling = sign && (i64)a < 0 ? ~(u64)0 : 0;
    if (b >= 64)
        return filling;
    return b ? a >> b | filling << (64 - b) : a;
}

/* The processor would fault where the quotient does not fit. */
static u64 divide(u8 op, u64 a, u64 b)
{
    bool sign = op == OP_DIV_SIGNED || op == OP_REM_SIGNED;
    bool rest = op == OP_REM_SIGNED || op == OP_REM_UNSIGNED;
    u64 quotient = !sign ? a / b : b == ~(u64)0 ? -a : (u64)((i64)a / (i64)b);
    return rest ? a - b * quotient : quotient;
}

static bool refer(const struct bytecode_host *host, u64 *item, u32 size)
{
    u64 value = 0; /* the lowest byte comes first, here as there */
    if (!host->memory(*item, &value, size))
        return false;
    *item = value;
    return true;
}

static void rotate(u64 *top)
{
    u64 c = top[0];
    top[0] = top[-1];
    top[-1] = top[-2];
    top[-2] = c;
}

static void swap(u64 *top)
{
    u64 b = top[0];
    top[0] = top[-1];
    top[-1] = b;
}

static inline u64 number(const u8 *at, u32 bytes)
{
    u64 value = 0;
    for (u32 n = 0; n < bytes; n++)
        value = value << 8 | at[n];
    return value;
}

/* (1); there is room on the stack before each step. */
#define NEEDS(items, bytes)                                                                        \
    do {                                                                                           \
        if (top - stack < (items) || end - at < (bytes))                                           \
            return false;                                                                          \
    } while (0)

#define BINARY(result)                                                                             \
    do {                                                                                           \
        NEEDS(2, 0);                                                                               \
        u64 a = top[-1], b = top[0];                                                               \
        *--top = (result);                                                                         \
    } while (0)

#define CONSTANT(bytes)                                                                            \
    do {                                                                                           \
        NEEDS(0, bytes);                                                                           \
        *++top = number(at, bytes);                                                                \
        at += (bytes);                                                                             \
    } while (0)

#define REFER(size)                                                                                \
    do {                                                                                           \
        NEEDS(1, 0);                                                                               \
        if (!refer(host, top, size))                                                               \
            return false;                                                                          \
    } while (0)

bool bytecode_run(const u8 *code, u32 size, const struct bytecode_host *host, u64 *ret)
{
    u64 stack[STACK_MOST + 1];
    u64 *top = stack; /* at it the last item; the first is stack[1] */
    const u8 *at = code, *end = code + size;
    for (u32 steps = 0; steps < STEPS_MOST && at < end && top < stack + STACK_MOST; steps++) {
        u8 op = *at++;
        switch (op) {
        case OP_ADD:           BINARY(a + b); break;
        case OP_SUB:           BINARY(a - b); break;
        case OP_MUL:           BINARY(a * b); break;
        case OP_DIV_SIGNED:
        case OP_DIV_UNSIGNED:
        case OP_REM_SIGNED:
        case OP_REM_UNSIGNED:
            NEEDS(2, 0);
            if (!*top)
                return false;
            BINARY(divide(op, a, b));
            break;
        case OP_LSH:           BINARY(b < 64 ? a << b : 0); break;
        case OP_RSH_SIGNED:    BINARY(shift_right(a, b, true)); break;
        case OP_RSH_UNSIGNED:  BINARY(shift_right(a, b, false)); break;
        case OP_BIT_AND:       BINARY(a & b); break;
        case OP_BIT_OR:        BINARY(a | b); break;
        case OP_BIT_XOR:       BINARY(a ^ b); break;
        case OP_EQUAL:         BINARY(a == b); break;
        case OP_LESS_SIGNED:   BINARY((i64)a < (i64)b); break;
        case OP_LESS_UNSIGNED: BINARY(a < b); break;
        case OP_FLOAT: {
            NEEDS(1, 1);
            NEEDS(*at >= FLOAT_ADD ? 2 : 1, 1);
            u32 taken = bytecode_float(*at++, top);
            if (!taken)
                return false;
            top -= taken - 1;
            break;
        }
        case OP_LOG_NOT:       NEEDS(1, 0); *top = !*top; break;
        case OP_BIT_NOT:       NEEDS(1, 0); *top = ~*top; break;
        case OP_EXT:
        case OP_ZERO_EXT:
            NEEDS(1, 1);
            if (!*at)
                return false;
            *top = extend(*top, *at++, op == OP_EXT);
            break;
        case OP_REF8:          REFER(1); break;
        case OP_REF16:         REFER(2); break;
        case OP_REF32:         REFER(4); break;
        case OP_REF64:         REFER(8); break;
        case OP_IF_GOTO:
            NEEDS(1, 2);
            at = *top-- ? code + number(at, 2) : at + 2;
            break;
        case OP_GOTO:
            NEEDS(0, 2);
            at = code + number(at, 2);
            break;
        case OP_CONST8:        CONSTANT(1); break;
        case OP_CONST16:       CONSTANT(2); break;
        case OP_CONST32:       CONSTANT(4); break;
        case OP_CONST64:       CONSTANT(8); break;
        case OP_REG:
            NEEDS(0, 2);
            if (!host->reg((u32)number(at, 2), ++top))
                return false;
            at += 2;
            break;
        case OP_DUP:           NEEDS(1, 0); top++; top[0] = top[-1]; break;
        case OP_PICK:
            NEEDS(1, 1);
            if (*at >= top - stack)
                return false;
            top[1] = top[-*at++];
            top++;
            break;
        case OP_POP:           NEEDS(1, 0); top--; break;
        case OP_SWAP:          NEEDS(2, 0); swap(top); break;
        case OP_ROT:           NEEDS(3, 0); rotate(top); break;
        case OP_TRACE:
        case OP_TRACENZ:       NEEDS(2, 0); top -= 2; break;
        case OP_TRACE_QUICK:   NEEDS(1, 1); at += 1; break;
        case OP_TRACE16:       NEEDS(1, 2); at += 2; break;
        case OP_END:           NEEDS(1, 0); *ret = *top; return true;
        default:               return false;
        }
    }
    return false;
}
