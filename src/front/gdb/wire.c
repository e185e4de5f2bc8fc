/* Frames of the remote serial protocol: see the header.
 *
 *     BETWEEN --$--> BODY --}--> ESCAPED --any--> BODY
 *                    BODY --#--> SUM_HIGH --> SUM_LOW --> BETWEEN, with an event
 *                    BODY --$--> BODY: the previous packet was cut off; the new one is read
 */
#include "front/gdb/wire.h"

#include <string.h>

enum { CONTROL_C = 3 };

int wire_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool wire_number(const char **at, u64 *ret)
{
    const char *p = *at;
    u64 value = 0;
    for (; wire_digit(*p) >= 0 && p < *at + 16; p++)
        value = value << 4 | (u64)wire_digit(*p);
    if (p == *at)
        return false;
    *at = p;
    *ret = value;
    return true;
}

long wire_unhex(const char *text, void *to, size_t most)
{
    u8 *bytes = to;
    size_t count = 0;
    for (; text[0] && count < most; text += 2, count++) {
        int high = wire_digit(text[0]), low = high < 0 ? -1 : wire_digit(text[1]);
        if (low < 0)
            return -1;
        bytes[count] = (u8)(high << 4 | low);
    }
    return (long)count;
}

static void wire_begin(struct wire *w)
{
    w->state = WIRE_BODY;
    w->sum = 0;
    w->size = 0;
    w->sum_is_bad = w->oversized = false;
}

static void wire_keep(struct wire *w, u8 byte)
{
    if (w->size < WIRE_PACKET_MOST)
        w->bytes[w->size++] = (char)byte;
    else
        w->oversized = true;
}

static enum wire_news feed_between(struct wire *w, u8 byte)
{
    switch (byte) {
    case '$':
        wire_begin(w);
        return WIRE_NOTHING;
    case '+':
        return WIRE_ACK;
    case '-':
        return WIRE_NACK;
    case CONTROL_C:
        return WIRE_INTERRUPT;
    default:
        return WIRE_NOTHING;
    }
}

static enum wire_news feed_body(struct wire *w, u8 byte)
{
    if (byte == '$') {
        wire_begin(w);
    } else if (byte == '#') {
        w->state = WIRE_SUM_HIGH;
    } else {
        w->sum = (u8)(w->sum + byte);
        if (byte == '}')
            w->state = WIRE_ESCAPED;
        else
            wire_keep(w, byte);
    }
    return WIRE_NOTHING;
}

static enum wire_news wire_finish(struct wire *w, int digit)
{
    w->state = WIRE_BETWEEN;
    w->bytes[w->size] = '\0';
    if (digit < 0 || w->sum_is_bad || (u8)(w->wanted | digit) != w->sum)
        return WIRE_DAMAGED;
    return w->oversized ? WIRE_OVERSIZED : WIRE_PACKET;
}

enum wire_news wire_feed(struct wire *w, u8 byte)
{
    switch (w->state) {
    case WIRE_BETWEEN:
        return feed_between(w, byte);
    case WIRE_BODY:
        return feed_body(w, byte);
    case WIRE_ESCAPED:
        w->sum = (u8)(w->sum + byte);
        wire_keep(w, byte ^ 0x20);
        w->state = WIRE_BODY;
        return WIRE_NOTHING;
    case WIRE_SUM_HIGH:
        w->sum_is_bad = wire_digit((char)byte) < 0;
        w->wanted = (u8)(w->sum_is_bad ? 0 : wire_digit((char)byte) << 4);
        w->state = WIRE_SUM_LOW;
        return WIRE_NOTHING;
    default:
        return wire_finish(w, wire_digit((char)byte));
    }
}

void wire_frame(struct reply *r, const char *bytes, size_t size)
{
    u8 sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = (u8)(sum + (u8)bytes[i]);
    reply_bytes(r, "$", 1);
    reply_bytes(r, bytes, size);
    reply_text(r, "#%02x", sum);
}
