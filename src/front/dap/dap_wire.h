/* The connection to a client of the Debug Adapter Protocol: messages in, messages out.
 *
 * A thread reads, so that `pause`, `cancel` and `disconnect` can end the current operation; all
 * other requests wait for their turn. Only the main thread writes.
 */
#ifndef FRONT_DAP_WIRE_H
#define FRONT_DAP_WIRE_H

#include "base/error.h"
#include "base/json_read.h"
#include "base/types.h"

struct dap_wire;

struct dap_message {
    struct dap_message *next;   /* the wire's */
    struct json_value *content; /* NULL: not a valid message, because: */
    char *why;
    const char *command; /* of a request; otherwise NULL */
    i64 seq;             /* number of a request; 0: none */
    bool is_cancelled;   /* it was cancelled while it waited */
};

/* Takes ownership of both descriptors, which may be the same. */
struct error *dap_wire_open(int in, int out, struct dap_wire **ret);
void dap_wire_close(struct dap_wire *w); /* accepts NULL */

/* Returns the next message, which the caller destroys; NULL when the client has gone. While there
 * is none, `idle` is called until it returns false. */
struct dap_message *dap_wire_next(struct dap_wire *w, bool (*idle)(void *), void *context);
void dap_message_destroy(struct dap_message *m); /* accepts NULL */

/* Sends one message; nothing happens if the client has gone. */
void dap_wire_send(struct dap_wire *w, const char *bytes, size_t size);

/* Between these two calls the request can be ended: by its number, by the name of its progress, or
 * by `pause` and `disconnect`. debug_interrupt() is called to end it. */
void dap_wire_begin(struct dap_wire *w, i64 seq);
void dap_wire_end(struct dap_wire *w);
/* Sets the name under which it reports progress; "": none. */
void dap_wire_progress(struct dap_wire *w, const char *id);
/* True if the request is to end. */
bool dap_wire_wants_end(struct dap_wire *w);
/* True if a `cancel` requested that, so that the response is an error. */
bool dap_wire_was_cancelled(struct dap_wire *w);
/* True if the client has gone or wants to end the session. */
bool dap_wire_is_leaving(struct dap_wire *w);

#endif
