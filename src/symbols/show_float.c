/* Floating-point numbers: decodes their bytes and writes them as text.
 *
 * The formats are those of IEEE 754 with 16, 32, 64 and 128 bits, the 80 bits of the x87 unit
 * (`long double`), and decimal ones in the binary encoding of IEEE 754-2008 (3.5.2).
 */
#include <math.h>

#include "symbols/values_internal.h"

/* In glibc, whose header does not declare it for every compiler. */
int strfromf128(char *to, size_t size, const char *format, __float128 number);

enum { X87_BYTES = 10 };

/* --- binary ----------------------------------------------------------------------------------- */

static float half_to_float(u16 half)
{
    unsigned exponent = half >> 10 & 31, fraction = half & 0x3ff;
    float size = exponent == 31 ? fraction ? NAN : INFINITY
                 : exponent ? ldexpf((float)(fraction + 0x400), (int)exponent - 25)
                     : ldexpf((float)fraction, -24);
    return half >> 15 ? -size : size;
}

/* bfloat16: the upper half of a float. */
static bool is_bfloat(const struct type *plain)
{
    return plain->name && strstr(plain->name, "bf16");
}

static long double two_bytes(const struct type *plain, const u8 *bytes)
{
    u16 half;
    float f;
    memcpy(&half, bytes, 2);
    u32 raw = (u32)half << 16;
    memcpy(&f, &raw, 4);
    return is_bfloat(plain) ? f : half_to_float(half);
}

bool float_number(const struct type *plain, const u8 *bytes, long double *ret)
{
    float f;
    double d;
    __float128 quad;
    switch (plain->size) {
    case 2:
        *ret = two_bytes(plain, bytes);
        return true;
    case 4:
        memcpy(&f, bytes, 4);
        *ret = f;
        return true;
    case 8:
        memcpy(&d, bytes, 8);
        *ret = d;
        return true;
    case 16:
        *ret = 0;
        memcpy(&quad, bytes, 16);
        if (type_is_quad(plain))
            *ret = (long double)quad;
        else
            memcpy(ret, bytes, X87_BYTES);
        return true;
    default:
        return false;
    }
}

/* The digits needed to tell each number of this size from its neighbours, and the bits of its
 * fraction. */
struct float_shape {
    u8 digits, fraction;
};

static struct float_shape float_shape(const struct type *plain)
{
    switch (plain->size) {
    case 2: return is_bfloat(plain) ? (struct float_shape){4, 7} : (struct float_shape){5, 10};
    case 4: return (struct float_shape){9, 23};
    case 8: return (struct float_shape){17, 52};
    default: return (struct float_shape){21, 64};
    }
}

static void show_nan(FILE *out, const struct type *plain, const u8 *bytes)
{
    u64 low = 0, high = 0;
    unsigned sign = bytes[plain->size == 16 && !type_is_quad(plain) ? X87_BYTES - 1
                          : plain->size - 1] >> 7;
    memcpy(&low, bytes, plain->size < 8 ? plain->size : 8);
    fprintf(out, "%snan(0x", sign ? "-" : "");
    if (type_is_quad(plain)) {
        memcpy(&high, bytes + 8, 6);
        fprintf(out, "%llx%0*llx)", (unsigned long long)high, 16, (unsigned long long)low);
        return;
    }
    unsigned bits = float_shape(plain).fraction;
    fprintf(out, "%llx)", (unsigned long long)(bits < 64 ? low & (((u64)1 << bits) - 1) : low));
}

/* True for x87 patterns that are not numbers: a nonzero exponent with a leading bit of 0. */
static bool is_invalid(const struct type *plain, const u8 *bytes)
{
    u16 exponent = 0;
    if (plain->size <= 8 || type_is_quad(plain))
        return false;
    memcpy(&exponent, bytes + 8, sizeof exponent);
    return (exponent & 0x7fff) && !(bytes[7] >> 7);
}

void show_float(FILE *out, const struct type *plain, const u8 *bytes)
{
    long double number;
    char text[64];
    if (is_invalid(plain, bytes)) {
        fputs("<invalid float value>", out);
    } else if (!float_number(plain, bytes, &number)) {
        fputs("<floating-point number of an unknown size>", out);
    } else if (isnan(number)) {
        show_nan(out, plain, bytes);
    } else if (type_is_quad(plain)) {
        __float128 quad;
        memcpy(&quad, bytes, 16);
        strfromf128(text, sizeof text, "%.36g", quad);
        fputs(text, out);
    } else {
        fprintf(out, "%.*Lg", float_shape(plain).digits, number);
    }
}

/* --- decimal ---------------------------------------------------------------------------------- */

struct decimal {
    bool negative, is_special;
    unsigned __int128 coefficient;
    int exponent;
    unsigned special; /* the five bits after the sign */
};

/* The exponent follows the sign, or two set bits after it; in that case the coefficient has an
 * implied leading binary 100. */
static struct decimal read_decimal(const u8 *bytes, unsigned size)
{
    static const struct { u8 size, exponent_bits; i16 bias; } shapes[] = {{4, 8, 101}, {8, 10, 398},
                                                                          {16, 14, 6176}};
    unsigned which = size == 4 ? 0 : size == 8 ? 1 : 2, bits = 8 * size;
    unsigned wide = shapes[which].exponent_bits;
    unsigned __int128 raw = 0, one = 1;
    memcpy(&raw, bytes, size);
    struct decimal d = {.negative = raw >> (bits - 1) & 1,
                        .special = (unsigned)(raw >> (bits - 6)) & 31};
    bool large = (d.special >> 3) == 3;
    unsigned below = bits - 1 - wide - (large ? 2 : 0);
    d.is_special = d.special >= 30;
    d.exponent = (int)((raw >> below) & ((one << wide) - 1)) - shapes[which].bias;
    d.coefficient = (raw & ((one << below) - 1)) | (large ? (unsigned __int128)4 << below : 0);
    return d;
}

/* Written like IBM's decimal library, and gdb: with all digits of the coefficient. */
static void show_digits(FILE *out, const char *digits, int exponent)
{
    int count = (int)strlen(digits), left = count + exponent; /* digits before the point */
    if (exponent <= 0 && left > 0)
        fprintf(out, "%.*s%s%s", left, digits, exponent ? "." : "", digits + left);
    else if (exponent <= 0 && left > -6)
        fprintf(out, "0.%.*s%s", -left, "000000", digits);
    else
        fprintf(out, "%c%s%sE%+d", digits[0], count > 1 ? "." : "", digits + 1, left - 1);
}

void show_decimal_float(FILE *out, const struct type *plain, const u8 *bytes)
{
    if (plain->size != 4 && plain->size != 8 && plain->size != 16) {
        fputs("<floating-point number of an unknown size>", out);
        return;
    }
    struct decimal d = read_decimal(bytes, (unsigned)plain->size);
    char digits[48];
    size_t at = sizeof digits;
    digits[--at] = 0;
    do
        digits[--at] = (char)('0' + (int)(d.coefficient % 10));
    while (d.coefficient /= 10);
    fputs(d.negative ? "-" : "", out);
    if (d.is_special)
        fputs(d.special == 30 ? "Infinity" : "NaN", out);
    else
        show_digits(out, digits + at, d.exponent);
}
