/* Floating point for conditions: ebb's own opcodes, after the prefix that gdb's manual reserves for
 * them.
 *
 * The engine must not use vector registers, since they contain the guest's values. So doubles are
 * computed with integer operations, rounding to nearest, ties to even, like the processor's
 * default.
 *
 * A number is unpacked to its biased exponent and a mantissa whose highest bit is bit 62: ten bits
 * more than a double has. The lowest bit says whether anything below it was lost.
 */
#include "engine/plan/bytecode.h"

#include "base/registers.h"
#include "engine/base/text.h"

typedef unsigned __int128 u128;

enum { BIAS = 1023, EXPONENT_MOST = 2047, LEADING = 62, EXTRA = 10 };
enum real_kind { ZERO, NUMBER, INFINITE, NOT_A_NUMBER };

static const u64 sign_bit = (u64)1 << 63, quiet_nan = (u64)0x7ff8 << 48,
                 infinity = (u64)0x7ff << 52;

struct real {
    enum real_kind kind;
    bool negative;
    i32 exponent;
    u64 mantissa;
};

static u64 shift_right(u64 m, u32 by)
{
    if (!by)
        return m;
    return by > 63 ? m != 0 : m >> by | ((m << (64 - by)) != 0);
}

/* Moves the highest bit to its place. */
static void normalise(struct real *r)
{
    if (r->mantissa >> 63) {
        r->mantissa = shift_right(r->mantissa, 1);
        r->exponent++;
    } else {
        u32 by = (u32)__builtin_clzl(r->mantissa) - 1;
        r->mantissa <<= by;
        r->exponent -= (i32)by;
    }
}

/* With `exponent_bits` and `mantissa_bits`: 11 and 52, or 8 and 23. */
static struct real float_unpack(u64 bits, u32 exponent_bits, u32 mantissa_bits)
{
    u32 most = (1u << exponent_bits) - 1, exponent = (u32)(bits >> mantissa_bits) & most;
    u64 mantissa = bits & (((u64)1 << mantissa_bits) - 1);
    struct real r = {.kind = NUMBER, .negative = bits >> (exponent_bits + mantissa_bits) & 1};
    if (exponent == most)
        r.kind = mantissa ? NOT_A_NUMBER : INFINITE;
    else if (!exponent && !mantissa)
        r.kind = ZERO;
    if (r.kind != NUMBER)
        return r;
    mantissa |= (u64)(exponent != 0) << mantissa_bits;
    r.exponent = (i32)(exponent ? exponent : 1) - (i32)(most / 2) + BIAS;
    r.mantissa = mantissa << (LEADING - mantissa_bits);
    normalise(&r);
    return r;
}

static u64 special(enum real_kind kind, bool negative)
{
    u64 bits = kind == ZERO ? 0 : kind == INFINITE ? infinity : quiet_nan;
    return bits | (negative ? sign_bit : 0);
}

/* Rounds away the bits below `by`. */
static u64 rounded(u64 m, u32 by)
{
    u64 low = m & (((u64)1 << by) - 1), half = (u64)1 << (by - 1);
    m >>= by;
    return m + (low > half || (low == half && m & 1));
}

static u64 float_pack(const struct real *r)
{
    i32 exponent = r->exponent;
    u64 m = r->mantissa, sign = r->negative ? sign_bit : 0;
    if (exponent >= EXPONENT_MOST)
        return infinity | sign;
    if (exponent <= 0)
        return rounded(shift_right(m, (u32)(1 - exponent)), EXTRA) | sign;
    /* Rounding a mantissa up to the next power of two increments the exponent. */
    return (((u64)exponent << 52) + rounded(m, EXTRA) - ((u64)1 << 52)) | sign;
}

static u64 float_add(struct real a, struct real b)
{
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER ||
        (a.kind == INFINITE && b.kind == INFINITE && a.negative != b.negative))
        return quiet_nan;
    if (a.kind == INFINITE || b.kind == INFINITE)
        return special(INFINITE, a.kind == INFINITE ? a.negative : b.negative);
    if (a.kind == ZERO && b.kind == ZERO)
        return special(ZERO, a.negative && b.negative);
    if (a.kind == ZERO || b.kind == ZERO)
        return float_pack(a.kind == ZERO ? &b : &a);
    if (b.exponent > a.exponent || (b.exponent == a.exponent && b.mantissa > a.mantissa)) {
        struct real larger = b;
        b = a;
        a = larger;
    }
    u64 other = shift_right(b.mantissa, (u32)(a.exponent - b.exponent));
    a.mantissa = a.negative == b.negative ? a.mantissa + other : a.mantissa - other;
    if (!a.mantissa)
        return 0;
    normalise(&a);
    return float_pack(&a);
}

static u64 multiply(struct real a, struct real b)
{
    bool negative = a.negative != b.negative;
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER ||
        (a.kind == INFINITE && b.kind == ZERO) || (a.kind == ZERO && b.kind == INFINITE))
        return quiet_nan;
    if (a.kind != NUMBER || b.kind != NUMBER)
        return special(a.kind == ZERO || b.kind == ZERO ? ZERO : INFINITE, negative);
    u128 product = (u128)a.mantissa * b.mantissa;
    u64 low = (u64)product & (((u64)1 << LEADING) - 1);
    struct real r = {.negative = negative, .exponent = a.exponent + b.exponent - BIAS,
                     .mantissa = (u64)(product >> LEADING) | (low != 0)};
    normalise(&r);
    return float_pack(&r);
}

static u64 float_divide(struct real a, struct real b)
{
    struct real r = {.negative = a.negative != b.negative,
                     .exponent = a.exponent - b.exponent + BIAS};
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER || (a.kind == b.kind && a.kind != NUMBER))
        return quiet_nan;
    if (a.kind != NUMBER || b.kind != NUMBER)
        return special(a.kind == ZERO || b.kind == INFINITE ? ZERO : INFINITE, r.negative);
    u64 rest = a.mantissa;
    for (u32 n = 0; n <= LEADING; n++) {
        r.mantissa <<= 1;
        if (rest >= b.mantissa) {
            rest -= b.mantissa;
            r.mantissa |= 1;
        }
        rest <<= 1;
    }
    r.mantissa = r.mantissa << 1 | (rest != 0); /* the leading bit may be 0 */
    r.exponent--;
    normalise(&r);
    return float_pack(&r);
}

static u64 from_integer(u64 magnitude, bool negative)
{
    struct real r = {.negative = negative, .exponent = BIAS + LEADING, .mantissa = magnitude};
    if (!magnitude)
        return 0;
    normalise(&r);
    return float_pack(&r);
}

/* A value that does not fit in 64 bits becomes what the processor would return. */
static u64 to_integer(struct real a)
{
    i32 exponent = a.exponent - BIAS;
    if (a.kind == ZERO || (a.kind == NUMBER && exponent < 0))
        return 0;
    if (a.kind != NUMBER || exponent > LEADING)
        return sign_bit;
    u64 magnitude = a.mantissa >> (LEADING - exponent);
    return a.negative ? -magnitude : magnitude;
}

/* Rounds to a double that a float can hold. */
static u64 round_single(struct real a)
{
    enum { LOST = LEADING - 23, LEAST = BIAS - 126, MOST = BIAS + 127 };
    i32 lost = LOST + (a.exponent < LEAST ? LEAST - a.exponent : 0);
    if (a.kind != NUMBER)
        return special(a.kind, a.negative && a.kind != NOT_A_NUMBER);
    if (lost > 63)
        return special(ZERO, a.negative);
    a.mantissa = rounded(a.mantissa, (u32)lost) << lost;
    if (!a.mantissa)
        return special(ZERO, a.negative);
    normalise(&a);
    return a.exponent > MOST ? special(INFINITE, a.negative) : float_pack(&a);
}

static bool is_nan(u64 a)
{
    return (a & ~sign_bit) > infinity;
}

/* Maps numbers to ordered integers; both zeros are equal. */
static i64 in_order(u64 a)
{
    return a & sign_bit ? -(i64)(a & ~sign_bit) : (i64)a;
}

static u64 on_two(u8 op, u64 a, u64 b)
{
    struct real x = float_unpack(a, 11, 52), y = float_unpack(b, 11, 52);
    bool known = !is_nan(a) && !is_nan(b);
    switch (op) {
    case FLOAT_ADD: return float_add(x, y);
    case FLOAT_SUB: y.negative = !y.negative; return float_add(x, y);
    case FLOAT_MUL: return multiply(x, y);
    case FLOAT_DIV: return float_divide(x, y);
    case FLOAT_EQUAL: return known && in_order(a) == in_order(b);
    case FLOAT_LESS: return known && in_order(a) < in_order(b);
    default: return known && in_order(a) <= in_order(b);
    }
}

static u64 on_one(u8 op, u64 a)
{
    struct real single = float_unpack(a & 0xffffffff, 8, 23);
    switch (op) {
    case FLOAT_FROM_SINGLE:
        return single.kind == NUMBER ? float_pack(&single) : special(single.kind, single.negative);
    case FLOAT_ROUND_SINGLE: return round_single(float_unpack(a, 11, 52));
    case FLOAT_FROM_SIGNED: return from_integer((i64)a < 0 ? -a : a, (i64)a < 0);
    case FLOAT_FROM_UNSIGNED: return from_integer(a, false);
    default: return to_integer(float_unpack(a, 11, 52));
    }
}

u32 bytecode_float(u8 op, u64 *top)
{
    if (op >= FLOAT_FROM_SINGLE && op <= FLOAT_TO_SIGNED) {
        top[0] = on_one(op, top[0]);
        return 1;
    }
    if (op < FLOAT_ADD || op > FLOAT_NOT_MORE)
        return 0;
    top[-1] = on_two(op, top[-1], top[0]);
    return 2;
}

u64 bytecode_vector_register(u32 number)
{
    u8 area[XSAVE_LEGACY_SIZE] __attribute__((aligned(16)));
    u64 value;
    __asm__ volatile("fxsave64 %0" : "=m"(area));
    memcpy(&value, area + xsave_xmm(number % VECTOR_REGISTERS), sizeof value);
    return value;
}
