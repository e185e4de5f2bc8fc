/* A line that is being typed: its text, its cursor, and the effect of keys.
 *
 * Text is UTF-8; the cursor is an offset, always at the start of a character.
 */
#ifndef FRONT_TYPED_LINE_H
#define FRONT_TYPED_LINE_H

#include "base/types.h"
#include "front/debugger/keys.h"

struct typed_line {
    char *text; /* never NULL between typed_line_init and _deinit */
    size_t size, cursor;
};

void typed_line_init(struct typed_line *t);
void typed_line_deinit(struct typed_line *t);
void typed_line_set(struct typed_line *t, const char *text); /* puts the cursor at the end */
void typed_line_insert(struct typed_line *t, const char *text, size_t size);

/* False if the key does not edit a line. */
bool typed_line_key(struct typed_line *t, u32 key);

#endif
