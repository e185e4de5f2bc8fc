/* An answer that is being built: a growing buffer, with functions for the protocol's formats. */
#ifndef FRONT_REPLY_H
#define FRONT_REPLY_H

#include <stddef.h>

#include "base/types.h"

struct reply {
    char *bytes; /* with a null terminator */
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

/* For XML and JSON: special characters are written as numbers. */
void reply_xml(struct reply *r, const char *text);
void reply_json(struct reply *r, const char *text);

#endif
