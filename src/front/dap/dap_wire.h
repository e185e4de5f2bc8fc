/* The connection to a client of the Debug Adapter Protocol: messages in, messages out.
 *
 * A thread reads, so that `pause`, `cancel` and `disconnect` end what is under way; all other
 * requests wait for their turn.  Only the main thread writes.
 */
#ifndef FRONT_DAP_WIRE_H
#define FRONT_DAP_WIRE_H

#include "base/error.h"
#include "base/json_read.h"
#include "base/types.h"

struct dap_wire;

struct dap_message {
    struct dap_message *next;   /* the wire's */
    struct json_value *content; /* NULL: it was no message, since: */
    char *why;
    const char *command; /* of a request; otherwise NULL */
    i64 seq;             /* of a request; 0: it has none */
    bool is_cancelled;   /* while it waited */
};

/* Takes both descriptors, which may be the same. */
struct error *dap_wire_open(int in, int out, struct dap_wire **ret);
void dap_wire_close(struct dap_wire *w); /* accepts NULL */

/* The next message, to be destroyed; NULL when the client has gone.  While there is none, `idle`
 * is called until it returns false. */
struct dap_message *dap_wire_next(struct dap_wire *w, bool (*idle)(void *), void *context);
void dap_message_destroy(struct dap_message *m); /* accepts NULL */

/* Sends one message; nothing happens if the client has gone. */
void dap_wire_send(struct dap_wire *w, const char *bytes, size_t size);

/* Between these two, the request may be asked to end: by its number, by the name of the progress
 * that it reports, or by `pause` and `disconnect`.  It is told by debug_interrupt(). */
void dap_wire_begin(struct dap_wire *w, i64 seq);
void dap_wire_end(struct dap_wire *w);
/* It reports progress by this name; "": none. */
void dap_wire_progress(struct dap_wire *w, const char *id);
/* Is the request to end? */
bool dap_wire_wants_end(struct dap_wire *w);
/* Was it a `cancel` that wants it, so that the response is an error? */
bool dap_wire_was_cancelled(struct dap_wire *w);
/* The client has gone, or asks to end the session. */
bool dap_wire_is_leaving(struct dap_wire *w);

#endif
