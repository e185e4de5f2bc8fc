/* An answer in the making: bytes that grow, in the forms that the protocol has for them. */
#ifndef FRONT_REPLY_H
#define FRONT_REPLY_H

#include <stddef.h>

#include "base/types.h"

struct reply {
    char *bytes; /* a zero follows the last */
    size_t size, room;
};

void reply_deinit(struct reply *r);
void reply_clear(struct reply *r);

void reply_bytes(struct reply *r, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void reply_text(struct reply *r, const char *format, ...);

/* Two digits for each byte. */
void reply_hex(struct reply *r, const void *bytes, size_t size);

/* Bytes unchanged, except that those with a meaning in a packet are escaped. */
void reply_binary(struct reply *r, const void *bytes, size_t size);

/* For XML and JSON: what would end a string is written as its number. */
void reply_xml(struct reply *r, const char *text);
void reply_json(struct reply *r, const char *text);

#endif
