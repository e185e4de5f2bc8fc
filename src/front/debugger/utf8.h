/* Characters as bytes of UTF-8, and back. */
#ifndef FRONT_UTF8_H
#define FRONT_UTF8_H

#include "base/types.h"

enum { UTF8_REPLACEMENT = 0xfffd };

/* The next character; moves on.  Bytes that are none become UTF8_REPLACEMENT, each. */
u32 utf8_decode(const char **text);

/* Its bytes; how many. */
size_t utf8_encode(u32 character, char bytes[4]);

#endif
