/* Strings and numbers without a libc.
 *
 * Copying: up to 16 bytes are two overlapping loads and stores; then words, with the last one
 * loaded before the first is stored (so that copying downward onto itself works); then the
 * processor's own string instructions, which need some thirty cycles to get going.
 *
 * The direction flag is clear in all engine code: the doors of enter.S clear it, and the kernel
 * does so for handlers.
 */
#include "engine/base/text.h"

enum {
    REP_COPY_FROM = 512, /* size from which string instructions are faster */
    REP_FILL_FROM = 256,
};

/* May be unaligned, and may alias any type. */
typedef u64 any64 __attribute__((aligned(1), may_alias));
typedef u32 any32 __attribute__((aligned(1), may_alias));
typedef u16 any16 __attribute__((aligned(1), may_alias));

/* Copies at most 16 bytes: everything is loaded before anything is stored. */
static inline void copy_small(u8 *to, const u8 *from, size_t size)
{
    if (size >= 8) {
        u64 first = *(const any64 *)from, last = *(const any64 *)(from + size - 8);
        *(any64 *)to = first;
        *(any64 *)(to + size - 8) = last;
    } else if (size >= 4) {
        u32 first = *(const any32 *)from, last = *(const any32 *)(from + size - 4);
        *(any32 *)to = first;
        *(any32 *)(to + size - 4) = last;
    } else if (size >= 2) {
        u16 first = *(const any16 *)from, last = *(const any16 *)(from + size - 2);
        *(any16 *)to = first;
        *(any16 *)(to + size - 2) = last;
    } else if (size) {
        *to = *from;
    }
}

/* Copies from the lower end: correct if `to` is below `from`, or they do not overlap. */
static inline void copy_up(u8 *to, const u8 *from, size_t size)
{
    if (size <= 16) {
        copy_small(to, from, size);
    } else if (size < REP_COPY_FROM) {
        u64 last = *(const any64 *)(from + size - 8);
        for (size_t i = 0; i < size - 8; i += 8)
            *(any64 *)(to + i) = *(const any64 *)(from + i);
        *(any64 *)(to + size - 8) = last;
    } else {
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    }
}

/* Copies from the upper end: correct if `to` is above `from`. */
static inline void copy_down(u8 *to, const u8 *from, size_t size)
{
    if (size <= 16) {
        copy_small(to, from, size);
        return;
    }
    u64 first = *(const any64 *)from;
    for (size_t i = size; i > 8; i -= 8)
        *(any64 *)(to + i - 8) = *(const any64 *)(from + i - 8);
    *(any64 *)to = first;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    copy_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    if ((u64)to - (u64)from >= size)
        copy_up(to, from, size);
    else
        copy_down(to, from, size);
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    u8 *at = to;
    u64 word = (u8)byte * 0x0101010101010101ul;
    if (size >= REP_FILL_FROM) {
        u8 *end = at;
        __asm__ volatile("rep stosb" : "+D"(end), "+c"(size) : "a"(byte) : "memory");
    } else if (size >= 8) {
        for (size_t i = 0; i < size - 8; i += 8)
            *(any64 *)(at + i) = word;
        *(any64 *)(at + size - 8) = word;
    } else {
        for (size_t i = 0; i < size; i++)
            at[i] = (u8)byte;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const u8 *left = a, *right = b;
    size_t i = 0;
    while (i + 8 <= size && *(const any64 *)(left + i) == *(const any64 *)(right + i))
        i += 8;
    for (; i < size; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

size_t strlen(const char *s)
{
    size_t length = 0;
    while (s[length])
        length++;
    return length;
}

bool text_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

bool text_starts(const char *s, const char *prefix)
{
    while (*prefix && *s == *prefix)
        s++, prefix++;
    return !*prefix;
}

const char *text_find(const char *s, char c)
{
    for (; *s; s++)
        if (*s == c)
            return s;
    return c ? NULL : s;
}

/* Adds `length` bytes, or as many as fit before the terminator. */
static void text_add_bytes(struct text *t, const char *bytes, size_t length)
{
    if (!t->size)
        return;
    size_t room = t->size - 1 - t->length;
    if (length > room)
        length = room;
    memcpy(t->buffer + t->length, bytes, length);
    t->length += length;
    t->buffer[t->length] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

void text_add_char(struct text *t, char c)
{
    text_add_bytes(t, &c, 1);
}

/* Adds the digits of `value`, at least `digits` of them. */
static void add_number(struct text *t, u64 value, unsigned base, int digits)
{
    char gathered[64];
    size_t at = sizeof(gathered);
    while ((value || digits > 0) && at) {
        gathered[--at] = "0123456789abcdef"[value % base];
        value /= base;
        digits--;
    }
    text_add_bytes(t, gathered + at, sizeof(gathered) - at);
}

void text_add_unsigned(struct text *t, u64 value)
{
    add_number(t, value, 10, 1);
}

void text_add_signed(struct text *t, i64 value)
{
    if (value < 0)
        text_add_char(t, '-');
    add_number(t, value < 0 ? -(u64)value : (u64)value, 10, 1);
}

void text_add_hex(struct text *t, u64 value)
{
    add_number(t, value, 16, 1);
}

void text_add_hex_wide(struct text *t, u64 value, int digits)
{
    add_number(t, value, 16, digits);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

bool text_parse(const char *s, u64 *ret, const char **end)
{
    unsigned base = 10;
    if (s[0] == '0' && (s[1] | 0x20) == 'x' && digit_value(s[2]) < 16) {
        base = 16;
        s += 2;
    }
    if (digit_value(*s) >= (int)base)
        return false;
    u64 value = 0;
    for (int digit; (digit = digit_value(*s)) < (int)base; s++)
        if (__builtin_mul_overflow(value, (u64)base, &value) ||
            __builtin_add_overflow(value, (u64)digit, &value))
            return false;
    *ret = value;
    if (end)
        *end = s;
    return true;
}
