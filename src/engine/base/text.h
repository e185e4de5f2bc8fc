/* Strings and numbers without a libc.
 *
 * The mem functions are here because the compiler calls them by name. struct text builds a line in
 * a buffer of the caller; text that does not fit is cut off, and the result is always
 * null-terminated.
 */
#ifndef ENGINE_TEXT_H
#define ENGINE_TEXT_H

#include "base/types.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *s);

bool text_equal(const char *a, const char *b);
bool text_starts(const char *s, const char *prefix);
/* The first `c` in s, or NULL. */
const char *text_find(const char *s, char c);

struct text {
    char *buffer;
    size_t size;
    size_t length;
};

#define TEXT(array) ((struct text){(array), sizeof(array), 0})

void text_add(struct text *t, const char *s);
void text_add_char(struct text *t, char c);
void text_add_unsigned(struct text *t, u64 value);
void text_add_signed(struct text *t, i64 value);
void text_add_hex(struct text *t, u64 value);              /* without 0x */
void text_add_hex_wide(struct text *t, u64 value, int digits); /* zero-filled */

/* Reads a decimal or 0x number; false if `s` does not begin with one. *end points after it. */
bool text_parse(const char *s, u64 *ret, const char **end);

#endif
