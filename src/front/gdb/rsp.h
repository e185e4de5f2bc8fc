/* Serves one recording to one client by the GDB remote serial protocol. */
#ifndef FRONT_RSP_H
#define FRONT_RSP_H

#include "base/error.h"
#include "base/types.h"
#include "front/gdb/link.h"
#include "log/recording.h"

struct rsp;

/* Opens a session. The caller keeps `rec` open until rsp_destroy. If debug_interrupt() ends the run
 * to the end of the track, the session stays where it has got to, and a message on stderr says
 * so. */
struct error *rsp_create(struct recording *rec, u32 track, bool at_start, struct rsp **ret);
void rsp_destroy(struct rsp *r); /* accepts NULL */

/* Serves a client until it leaves. Takes ownership of the link. */
void rsp_serve(struct rsp *r, struct client_link *l);

#endif
