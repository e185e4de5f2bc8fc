/* The connection to a client: received packets, one after the other, and answers.
 *
 * A Ctrl-C, or the end of the connection, ends the movement that is under way.
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
    char bytes[]; /* with a null terminator */
};

/* Takes ownership of both descriptors, which may be the same. */
struct error *link_open(int in, int out, struct client_link **ret);
void link_close(struct client_link *l); /* accepts NULL */

/* Returns the next packet, which the caller frees; NULL when the client has gone. While there is
 * none, `idle` is called until it returns false. */
struct link_packet *link_next(struct client_link *l, bool (*idle)(void *), void *context);

/* Sends a packet; nothing happens if the client has gone. */
void link_send(struct client_link *l, const char *bytes, size_t size);

/* From now on neither side acknowledges packets. */
void link_stop_acks(struct client_link *l);

bool link_gone(struct client_link *l);

/* Between these two calls a Ctrl-C, or the end of the connection, interrupts the session. False:
 * one has already arrived, and the movement must not begin. A Ctrl-C that came too late for the
 * movement applies to the next one, if that follows at once. */
bool link_begin_movement(struct client_link *l, struct session *s);
void link_end_movement(struct client_link *l, bool heeded);

/* For LLDB, which makes no movement of many small ones and takes any end of a movement for the
 * answer to its Ctrl-C: a Ctrl-C that no movement took is dropped. */
void link_forget_interrupts(struct client_link *l);

/* Called by the session's progress hook: from now on, until the next link_next, the reader watches
 * the client. A Ctrl-C that came too early to be noticed is repeated. */
void link_progress(struct client_link *l);

#endif
