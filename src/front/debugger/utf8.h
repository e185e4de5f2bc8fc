/* Encodes and decodes UTF-8. */
#ifndef FRONT_UTF8_H
#define FRONT_UTF8_H

#include "base/types.h"

enum { UTF8_REPLACEMENT = 0xfffd };

/* Returns the next character and moves past it. Each invalid byte becomes UTF8_REPLACEMENT. */
u32 utf8_decode(const char **text);

/* Writes the bytes of a character and returns their number. */
size_t utf8_encode(u32 character, char bytes[4]);

#endif
