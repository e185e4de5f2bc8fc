/* A client of the server: what it sent, one packet after the other, and what it is told.
 *
 * A Ctrl-C is seen while a movement is under way, and ends it; and so does the client's end.
 */
#ifndef FRONT_LINK_H
#define FRONT_LINK_H

#include "base/error.h"
#include "base/types.h"

struct session;
struct client_link;

struct link_packet {
    struct link_packet *next; /* the link's */
    enum { LINK_PACKET, LINK_DAMAGED, LINK_OVERSIZED } kind;
    size_t size;
    char bytes[]; /* a zero follows the last */
};

/* Takes both descriptors, which may be the same. */
struct error *link_open(int in, int out, struct client_link **ret);
void link_close(struct client_link *l); /* accepts NULL */

/* The next packet, to be freed; NULL when the client has gone.  While there is none, `idle` is
 * called until it returns false. */
struct link_packet *link_next(struct client_link *l, bool (*idle)(void *), void *context);

/* Sends a packet; nothing happens if the client has gone. */
void link_send(struct client_link *l, const char *bytes, size_t size);

/* From now on neither side acknowledges packets. */
void link_stop_acks(struct client_link *l);

bool link_gone(struct client_link *l);

/* Between these two a Ctrl-C, or the client's end, interrupts the session.  False: it has come
 * already, and the movement is not to begin.  A Ctrl-C that the movement did not heed, because it
 * had come to its end, is for the next one, if that follows at once. */
bool link_begin_movement(struct client_link *l, struct session *s);
void link_end_movement(struct client_link *l, bool heeded);

/* For a client that does not make one movement of many, and takes the end of a movement, however it
 * came, for the answer to its Ctrl-C (LLDB): one that no movement heeds is for none. */
void link_forget_interrupts(struct client_link *l);

/* To be called by the session's progress hook: from now on the client is listened to, until the
 * next link_next; and a Ctrl-C that came too early to be noticed is passed on again. */
void link_progress(struct client_link *l);

#endif
