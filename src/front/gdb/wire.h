/* Frames of the remote serial protocol: `$` bytes `#` two digits of checksum, with acks in between.
 *
 * A reader of frames is fed byte by byte and holds at most one packet of WIRE_PACKET_MOST bytes; a
 * longer packet is skipped up to its end. It never fails: malformed input is reported as an event.
 */
#ifndef FRONT_WIRE_H
#define FRONT_WIRE_H

#include "base/types.h"
#include "front/gdb/reply.h"

/* The limit that is announced to the client. A write of 64 KiB fits, every byte of it escaped. */
enum { WIRE_PACKET_MOST = 0x20000 };

enum wire_news {
    WIRE_NOTHING,
    WIRE_PACKET,    /* in w->bytes, w->size, with a null terminator; valid until the next byte */
    WIRE_DAMAGED,   /* the checksum is wrong */
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

/* Adds the frame of a packet whose bytes are already escaped. */
void wire_frame(struct reply *r, const char *bytes, size_t size);

/* Returns the value of a hex digit, or -1. */
int wire_digit(char c);

/* Reads up to 16 hex digits; false if there is none. *at moves past them. */
bool wire_number(const char **at, u64 *ret);

/* Reads pairs of hex digits up to the end of the text or `most` bytes. Returns the number of bytes,
 * or -1 if there is anything else. */
long wire_unhex(const char *text, void *to, size_t most);

#endif
