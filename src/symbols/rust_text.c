/* Characters, strings and floating-point numbers in the form that Rust's {:?} prints.
 *
 * Tests compare the result with the output of programs, so the escapes and the shortest form of a
 * floating-point number must agree with Rust's library exactly.
 */
#include <math.h>

#include "symbols/rust_internal.h"

/* True if the character is not printable. Only the important blocks are checked; Rust has a
 * complete table. */
static bool rust_is_hidden(u32 c)
{
    static const u32 ranges[][2] = {
        {0x7f, 0xa0},     {0xad, 0xad},     {0x300, 0x36f},      {0x61c, 0x61c},   {0x2000, 0x200f},
        {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},    {0xd800, 0xf8ff}, {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0x10ffff},
    };
    for (size_t n = 0; n < countof(ranges); n++)
        if (c >= ranges[n][0] && c <= ranges[n][1])
            return true;
    return c < 0x20;
}

size_t rust_utf8(u32 c, char to[4])
{
    if (c < 0x80)
        return to[0] = (char)c, 1;
    if (c < 0x800)
        return to[0] = (char)(0xc0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000)
        return to[0] = (char)(0xe0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63)),
               to[2] = (char)(0x80 | (c & 63)), 3;
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    to[3] = (char)(0x80 | (c & 63));
    return 4;
}

static void rust_put_escaped(FILE *out, u32 c, char quote)
{
    static const char plain[] = "\t\r\n\\", letters[] = "trn\\";
    const char *known = c && c < 128 ? strchr(plain, (int)c) : NULL;
    char bytes[4];
    if (!c)
        fputs("\\0", out);
    else if (known)
        fprintf(out, "\\%c", letters[known - plain]);
    else if (c == (u8)quote)
        fprintf(out, "\\%c", quote);
    else if (c != ' ' && (rust_is_hidden(c) || c > 0x10ffff))
        fprintf(out, "\\u{%x}", c);
    else
        fwrite(bytes, 1, rust_utf8(c, bytes), out);
}

void rust_show_character(FILE *out, u32 c)
{
    fputc('\'', out);
    rust_put_escaped(out, c, '\'');
    fputc('\'', out);
}

unsigned rust_decode(const u8 *s, u64 left, u32 *ret)
{
    unsigned need = s[0] < 0x80                   ? 1
                    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                    : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                    : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                                                  : 0;
    if (!need || need > left)
        return 0;
    *ret = need == 1 ? s[0] : s[0] & (0x7fu >> need);
    for (unsigned n = 1; n < need; n++) {
        if ((s[n] & 0xc0) != 0x80)
            return 0;
        *ret = *ret << 6 | (s[n] & 0x3f);
    }
    return need;
}

void rust_show_text(FILE *out, const u8 *bytes, u64 count, bool ellipsis)
{
    fputc('"', out);
    for (u64 at = 0; at < count;) {
        u32 c = 0;
        unsigned length = rust_decode(bytes + at, count - at, &c);
        if (!length && ellipsis && count - at < 4)
            break; /* it was truncated */
        if (length)
            rust_put_escaped(out, c, '"');
        else
            fprintf(out, "\\x%02x", bytes[at]);
        at += length ? length : 1;
    }
    fputs(ellipsis ? "\"..." : "\"", out);
}

/* --- floating point --------------------------------------------------------------------------- */

/* Writes the fewest digits that give the same number: "d.ddde+xx". */
static void rust_shortest(char *text, size_t room, double d, bool single)
{
    for (int digits = 0; digits < 17; digits++) {
        snprintf(text, room, "%.*e", digits, d);
        if (single ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
            return;
    }
}

/* "1.25e+02" to "125" with at least one digit after the point. */
static void rust_put_plain(FILE *out, const char *text)
{
    char digits[32];
    int count = 0, exponent = atoi(strchr(text, 'e') + 1);
    for (const char *at = text; *at != 'e'; at++)
        if (*at != '.' && *at != '-')
            digits[count++] = *at;
    fputs(*text == '-' ? "-" : "", out);
    if (exponent < 0)
        fputc('0', out);
    for (int n = 0; n <= exponent; n++)
        fputc(n < count ? digits[n] : '0', out);
    fputc('.', out);
    for (int n = exponent + 1; n < 0; n++)
        fputc('0', out);
    for (int n = exponent + 1 > 0 ? exponent + 1 : 0; n < count; n++)
        fputc(digits[n], out);
    if (count <= exponent + 1)
        fputc('0', out);
}

static void rust_put_exponent(FILE *out, char *text)
{
    char *e = strchr(text, 'e');
    fprintf(out, "%.*se%d", (int)(e - text), text, atoi(e + 1));
}

void rust_show_float(FILE *out, const struct type *plain, const u8 *bytes)
{
    float f = 0;
    double d = 0;
    char text[64];
    if (plain->size != 4 && plain->size != 8) {
        fprintf(out, "<floating-point number of %llu bytes>", (unsigned long long)plain->size);
        return;
    }
    memcpy(plain->size == 4 ? (void *)&f : (void *)&d, bytes, plain->size);
    if (plain->size == 4)
        d = (double)f;
    if (isnan(d) || isinf(d)) {
        fputs(isnan(d) ? "NaN" : d < 0 ? "-inf" : "inf", out);
        return;
    }
    rust_shortest(text, sizeof text, d, plain->size == 4);
    if (d == 0 || (fabs(d) >= 1e-5 && fabs(d) < 1e16))
        rust_put_plain(out, text);
    else
        rust_put_exponent(out, text);
}
