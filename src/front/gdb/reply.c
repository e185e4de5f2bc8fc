/* Building an answer: see the header. */
#include "front/gdb/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void reply_deinit(struct reply *r)
{
    free(r->bytes);
    *r = (struct reply){0};
}

void reply_clear(struct reply *r)
{
    r->size = 0;
    if (r->bytes)
        r->bytes[0] = '\0';
}

/* Makes room for `more` bytes and a null terminator. */
static char *reply_make_room(struct reply *r, size_t more)
{
    if (r->size + more + 1 > r->room) {
        size_t room = 2 * (r->size + more + 128);
        char *bytes = xalloc(room);
        if (r->size)
            memcpy(bytes, r->bytes, r->size);
        free(r->bytes);
        r->bytes = bytes;
        r->room = room;
    }
    return r->bytes + r->size;
}

static void added(struct reply *r, size_t size)
{
    r->size += size;
    r->bytes[r->size] = '\0';
}

void reply_bytes(struct reply *r, const void *bytes, size_t size)
{
    char *to = reply_make_room(r, size);
    if (size)
        memcpy(to, bytes, size);
    added(r, size);
}

void reply_text(struct reply *r, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size > 0) {
        vsnprintf(reply_make_room(r, (size_t)size), (size_t)size + 1, format, again);
        added(r, (size_t)size);
    }
    va_end(again);
}

void reply_hex(struct reply *r, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const u8 *from = bytes;
    char *to = reply_make_room(r, 2 * size);
    for (size_t i = 0; i < size; i++) {
        *to++ = digits[from[i] >> 4];
        *to++ = digits[from[i] & 15];
    }
    added(r, 2 * size);
}

void reply_binary(struct reply *r, const void *bytes, size_t size)
{
    const u8 *from = bytes;
    char *start = reply_make_room(r, 2 * size), *to = start;
    for (size_t i = 0; i < size; i++) {
        bool special = from[i] == '#' || from[i] == '$' || from[i] == '}' || from[i] == '*';
        if (special)
            *to++ = '}';
        *to++ = (char)(special ? from[i] ^ 0x20 : from[i]);
    }
    added(r, (size_t)(to - start));
}

void reply_xml(struct reply *r, const char *text)
{
    for (; *text; text++) {
        if (strchr("<>&\"'", *text) || (u8)*text < ' ')
            reply_text(r, "&#%d;", (u8)*text < ' ' ? '?' : *text);
        else
            reply_bytes(r, text, 1);
    }
}

void reply_json(struct reply *r, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || (u8)*text < ' ' || (u8)*text > '~')
            reply_text(r, "\\u%04x", (u8)*text);
        else
            reply_bytes(r, text, 1);
    }
}
