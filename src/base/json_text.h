/* Writes JSON piece by piece: one object per line. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stdio.h>

#include "base/types.h"

/* The state of the text: whether a comma is needed before the next value. */
struct json {
    FILE *out;
    bool some;
};

/* `key` is NULL in lists and at the top level. */
void json_open(struct json *j, const char *key, char bracket); /* { or [ */
void json_close(struct json *j, char bracket);                 /* } or ] */
void json_string(struct json *j, const char *key, const char *value); /* NULL: null */
void json_bytes(struct json *j, const char *key, const void *bytes, size_t size);
void json_unsigned(struct json *j, const char *key, u64 value);
void json_signed(struct json *j, const char *key, i64 value);
void json_hex(struct json *j, const char *key, u64 value); /* as a string, "0x..." */
void json_bool(struct json *j, const char *key, bool value);
void json_line(struct json *j); /* ends the line */

#endif
