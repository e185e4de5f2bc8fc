/* JSON, written piece by piece: one object per line. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stdio.h>

#include "base/types.h"

/* Where we are in the text: whether something stands before, so that a comma is due. */
struct json {
    FILE *out;
    bool some;
};

/* `key` is NULL in lists and for what is not in anything. */
void json_open(struct json *j, const char *key, char bracket); /* { or [ */
void json_close(struct json *j, char bracket);                 /* } or ] */
void json_string(struct json *j, const char *key, const char *value); /* NULL: null */
void json_bytes(struct json *j, const char *key, const void *bytes, size_t size);
void json_unsigned(struct json *j, const char *key, u64 value);
void json_signed(struct json *j, const char *key, i64 value);
void json_hex(struct json *j, const char *key, u64 value); /* "0x...", a string */
void json_bool(struct json *j, const char *key, bool value);
void json_line(struct json *j); /* the end of a line */

#endif
