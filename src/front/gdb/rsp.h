/* The GDB remote serial protocol, spoken to one client about one recording. */
#ifndef FRONT_RSP_H
#define FRONT_RSP_H

#include "base/error.h"
#include "base/types.h"
#include "front/gdb/link.h"
#include "log/recording.h"

struct rsp;

/* Opens a session; `rec` is lent until rsp_destroy.  If debug_interrupt() ends the way to the end
 * of the run, it stays where it has got to, and says so on stderr. */
struct error *rsp_create(struct recording *rec, u32 track, bool at_start, struct rsp **ret);
void rsp_destroy(struct rsp *r); /* accepts NULL */

/* Serves a client until it leaves.  Takes the link. */
void rsp_serve(struct rsp *r, struct client_link *l);

#endif
