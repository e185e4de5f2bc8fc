/* Agent expressions: see bytecode.h.
 *
 * A condition is evaluated millions of times, so the processor must be able to run ahead: the
 * position in the code and the top of the stack are in registers, and the branch taken, not a
 * table, determines how far they move.
 *
 * Invariant
 *   (1) Before an opcode is executed, its operand bytes are present, the items it takes are on the
 *       stack, and there is room for one more. So neither the stack nor the code is ever overrun.
 */
#include "engine/plan/bytecode.h"

#include "base/assert.h"
#include "engine/plan/bytecode_internal.h"

enum { STACK_MOST = 64, STEPS_MOST = 1 << 16 };

/* Checks for quotients that do not fit, at which the processor would fault. */
static u64 bytecode_divide(u8 op, u64 a, u64 b)
{
    bool sign = op == OP_DIV_SIGNED || op == OP_REM_SIGNED;
    bool rest = op == OP_REM_SIGNED || op == OP_REM_UNSIGNED;
    u64 quotient = !sign ? a / b : b == ~(u64)0 ? -a : (u64)((i64)a / (i64)b);
    return rest ? a - b * quotient : quotient;
}

static void bytecode_rotate(u64 *top)
{
    u64 c = top[0];
    top[0] = top[-1];
    top[-1] = top[-2];
    top[-2] = c;
}

static void bytecode_swap(u64 *top)
{
    u64 b = top[0];
    top[0] = top[-1];
    top[-1] = b;
}

/* There is room on the stack before each step. */
#define NEEDS(items, bytes)                                                                        \
    do {                                                                                           \
        if (top - stack < (items) || end - at < (bytes))                                           \
            return false;                                                                          \
    } while (0)

#define TAKES_TWO(result)                                                                          \
    do {                                                                                           \
        NEEDS(2, 0);                                                                               \
        u64 a = top[-1], b = top[0];                                                               \
        *--top = (result);                                                                         \
    } while (0)

#define BINARY(op) TAKES_TWO(bytecode_binary(op, a, b))

#define CONSTANT(bytes)                                                                            \
    do {                                                                                           \
        NEEDS(0, bytes);                                                                           \
        *++top = bytecode_number(at, bytes);                                                       \
        at += (bytes);                                                                             \
    } while (0)

#define REFER(size)                                                                                \
    do {                                                                                           \
        NEEDS(1, 0);                                                                               \
        if (!host->memory(*top, size, top))                                                        \
            return false;                                                                          \
    } while (0)

bool bytecode_run(const u8 *code, u32 size, const struct bytecode_host *host, u64 *ret)
{
    u64 stack[STACK_MOST + 1];
    u64 *top = stack; /* points to the last item; the first is stack[1] */
    const u8 *at = code, *end = code + size;
    for (u32 steps = 0; steps < STEPS_MOST && at < end && top < stack + STACK_MOST; steps++) {
        u8 op = *at++;
        switch (op) {
        case OP_ADD:           BINARY(OP_ADD); break;
        case OP_SUB:           BINARY(OP_SUB); break;
        case OP_MUL:           BINARY(OP_MUL); break;
        case OP_DIV_SIGNED:
        case OP_DIV_UNSIGNED:
        case OP_REM_SIGNED:
        case OP_REM_UNSIGNED:
            NEEDS(2, 0);
            if (!*top)
                return false;
            TAKES_TWO(bytecode_divide(op, a, b));
            break;
        case OP_LSH:           BINARY(OP_LSH); break;
        case OP_RSH_SIGNED:    BINARY(OP_RSH_SIGNED); break;
        case OP_RSH_UNSIGNED:  BINARY(OP_RSH_UNSIGNED); break;
        case OP_BIT_AND:       BINARY(OP_BIT_AND); break;
        case OP_BIT_OR:        BINARY(OP_BIT_OR); break;
        case OP_BIT_XOR:       BINARY(OP_BIT_XOR); break;
        case OP_EQUAL:         BINARY(OP_EQUAL); break;
        case OP_LESS_SIGNED:   BINARY(OP_LESS_SIGNED); break;
        case OP_LESS_UNSIGNED: BINARY(OP_LESS_UNSIGNED); break;
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
            *top = bytecode_extend(*top, *at++, op == OP_EXT);
            break;
        case OP_REF8:          REFER(1); break;
        case OP_REF16:         REFER(2); break;
        case OP_REF32:         REFER(4); break;
        case OP_REF64:         REFER(8); break;
        case OP_IF_GOTO:
            NEEDS(1, 2);
            at = *top-- ? code + bytecode_number(at, 2) : at + 2;
            break;
        case OP_GOTO:
            NEEDS(0, 2);
            at = code + bytecode_number(at, 2);
            break;
        case OP_CONST8:        CONSTANT(1); break;
        case OP_CONST16:       CONSTANT(2); break;
        case OP_CONST32:       CONSTANT(4); break;
        case OP_CONST64:       CONSTANT(8); break;
        case OP_REG:
            NEEDS(0, 2);
            if (!host->reg((u32)bytecode_number(at, 2), ++top))
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
        case OP_SWAP:          NEEDS(2, 0); bytecode_swap(top); break;
        case OP_ROT:           NEEDS(3, 0); bytecode_rotate(top); break;
        case OP_TRACE:
        case OP_TRACENZ:       NEEDS(2, 0); top -= 2; break;
        case OP_TRACE_QUICK:   NEEDS(1, 1); at += 1; break;
        case OP_TRACE16:       NEEDS(1, 2); at += 2; break;
        case OP_END:
            NEEDS(1, 0);
            invariant(1, top > stack && top <= stack + STACK_MOST && at <= end);
            *ret = *top;
            return true;
        default:               return false;
        }
    }
    return false;
}
