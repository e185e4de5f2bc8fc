/* The GDB remote serial protocol, spoken to one client about one recording. */
#ifndef FRONT_RSP_H
#define FRONT_RSP_H

#include "base/error.h"
#include "base/types.h"
#include "front/gdb/link.h"
#include "log/recording.h"

struct rsp;

/* Opens a session; `rec` is lent until rsp_destroy. */
struct error *rsp_create(struct recording *rec, u32 track, bool at_start, struct rsp **ret);
void rsp_destroy(struct rsp *r); /* accepts NULL */
/* From a signal handler, while rsp_create() is on its way to the end of the run: it stays where it
 * has got to, and says so on stderr. */
void rsp_interrupt_opening(void);

/* Serves a client until it leaves.  Takes the link. */
void rsp_serve(struct rsp *r, struct client_link *l);

#endif
