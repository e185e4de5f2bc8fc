/* Floating point of conditions against the processor's: a million random pairs for each opcode, odd
 * ones among them.
 *
 * unit: src/engine/plan/bytecode_float.c
 */
#include <stdio.h>
#include <string.h>

#include "engine/plan/bytecode.h"

static u64 state = 88172645463325252ul;

static u64 any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static u64 bits_of(double d)
{
    u64 bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static double double_of(u64 bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static float float_of(u64 bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Numbers near each other, tiny ones, zeros, infinities, integers, and random bits. */
static u64 odd_number(void)
{
    u64 r = any(), sign_and_mantissa = r & 0x800ffffffffffffful;
    switch (any() % 8) {
    case 0: return r;
    case 1: return sign_and_mantissa | (1023 + any() % 120 - 60) << 52;
    case 2: return sign_and_mantissa;
    case 3: return (r & 1ul << 63) | (any() % 3 ? 0x7fful << 52 : 0x7ff8ul << 48);
    case 4: return r & 1ul << 63;
    case 5: return bits_of((double)(any() % 2001) - 1000);
    case 6: return bits_of(float_of(r));
    default: return sign_and_mantissa | (any() % 2046 + 1) << 52;
    }
}

static u64 some_integer(void)
{
    u64 r = any() >> any() % 64;
    return any() & 1 ? -r : r;
}

static u64 truncated(double d)
{
    i64 i;
    __asm__("cvttsd2siq %1, %0" : "=r"(i) : "x"(d));
    return (u64)i;
}

static u64 wanted(u8 op, u64 a, u64 b)
{
    volatile double x = double_of(a), y = double_of(b); /* computed here, not by the compiler */
    volatile float single;
    switch (op) {
    case FLOAT_FROM_SINGLE: single = float_of(a); return bits_of(single);
    case FLOAT_ROUND_SINGLE: single = (float)x; return bits_of(single);
    case FLOAT_FROM_SIGNED: return bits_of((double)(i64)a);
    case FLOAT_FROM_UNSIGNED: return bits_of((double)a);
    case FLOAT_TO_SIGNED: return truncated(x);
    case FLOAT_ADD: return bits_of(x + y);
    case FLOAT_SUB: return bits_of(x - y);
    case FLOAT_MUL: return bits_of(x * y);
    case FLOAT_DIV: return bits_of(x / y);
    case FLOAT_EQUAL: return x == y;
    case FLOAT_LESS: return x < y;
    default: return x <= y;
    }
}

static bool is_nan(u64 bits)
{
    return (bits & ~(1ul << 63)) > 0x7fful << 52;
}

static bool agrees(u8 op)
{
    bool one = op < FLOAT_ADD, from_integer = op == FLOAT_FROM_SIGNED || op == FLOAT_FROM_UNSIGNED;
    u64 a = from_integer ? some_integer() : odd_number(), b = odd_number(), items[2] = {a, b}, right = wanted(op, a, b);
    u32 taken = bytecode_float(op, one ? &items[0] : &items[1]);
    bool same = items[0] == right || (op < FLOAT_EQUAL && is_nan(items[0]) && is_nan(right));
    if (taken == (one ? 1 : 2) && same)
        return true;
    printf("FAIL opcode %u on %016lx and %016lx: wanted %016lx, got %016lx\n", op, a, b, right, items[0]);
    return false;
}

int main(void)
{
    static const u8 ops[] = {FLOAT_FROM_SINGLE, FLOAT_ROUND_SINGLE, FLOAT_FROM_SIGNED, FLOAT_FROM_UNSIGNED,
                             FLOAT_TO_SIGNED, FLOAT_ADD, FLOAT_SUB, FLOAT_MUL, FLOAT_DIV, FLOAT_EQUAL, FLOAT_LESS,
                             FLOAT_NOT_MORE};
    u64 items[2] = {0, 0};
    for (size_t n = 0; n < sizeof ops; n++)
        for (unsigned round = 0; round < 1000000; round++)
            if (!agrees(ops[n]))
                return 1;
    if (bytecode_float(0, &items[1]) || bytecode_float(9, &items[1]) || bytecode_float(200, &items[1])) {
        printf("FAIL an opcode that is none was taken\n");
        return 1;
    }
    printf("ok floating point as the processor (%zu opcodes)\n", sizeof ops);
    return 0;
}
