/* Frames of the remote serial protocol: `$` bytes `#` two digits of check sum, with acks between.
 *
 * A reader of frames is fed byte by byte and holds no more than one packet of WIRE_PACKET_MOST
 * bytes; of what is longer it only notices the end.  It never fails: what cannot be a packet is
 * one of the events.
 */
#ifndef FRONT_WIRE_H
#define FRONT_WIRE_H

#include "base/types.h"
#include "front/gdb/reply.h"

/* The limit that is announced to the client. A write of 64 KiB fits, every byte of it escaped. */
enum { WIRE_PACKET_MOST = 0x20000 };

enum wire_news {
    WIRE_NOTHING,
    WIRE_PACKET,    /* w->bytes, w->size; a zero follows; valid until the next byte */
    WIRE_DAMAGED,   /* the check sum is not that of the bytes */
    WIRE_OVERSIZED,
    WIRE_ACK,
    WIRE_NACK,
    WIRE_INTERRUPT, /* Ctrl-C */
};

struct wire {
    enum { WIRE_BETWEEN, WIRE_BODY, WIRE_ESCAPED, WIRE_SUM_HIGH, WIRE_SUM_LOW } state;
    u8 sum, wanted;
    bool sum_is_bad, oversized;
    size_t size;
    char bytes[WIRE_PACKET_MOST + 1];
};

enum wire_news wire_feed(struct wire *w, u8 byte);

/* Adds the frame of a packet, in which all escapes have been made. */
void wire_frame(struct reply *r, const char *bytes, size_t size);

/* A digit's value, or -1. */
int wire_digit(char c);

/* Reads hex digits, as many as there are and at most 16; false if there is none. *at moves past
 * them. */
bool wire_number(const char **at, u64 *ret);

/* Reads pairs of hex digits up to the end of the text or `most` bytes; the number of bytes, or
 * -1 if there is something else. */
long wire_unhex(const char *text, void *to, size_t most);

#endif
