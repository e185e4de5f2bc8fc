/* Where a client connects: a port of the loopback interface, or a socket in the file system that
 * only its owner can open.  Only processes of the user who listens are admitted.  A file is removed
 * when the listener is closed, and when a signal ends the program. */
#ifndef BASE_LISTENER_H
#define BASE_LISTENER_H

#include "base/error.h"
#include "base/types.h"

struct listener {
    int fd;
    u16 port;   /* of a port: which it became */
    char *path; /* of a file; otherwise NULL */
};

/* Port 0: any that is free. */
struct error *listener_open_port(u16 port, struct listener *ret);
struct error *listener_open_file(const char *path, struct listener *ret);
/* A file with a name of its own: in $XDG_RUNTIME_DIR, or in a directory that is made for it. */
struct error *listener_open_private(struct listener *ret);
void listener_close(struct listener *l);

/* The next client, a descriptor of the caller's; or, if `lifeline` is not -1 and comes to its
 * end before, -1. */
struct error *listener_accept(const struct listener *l, int lifeline, int *ret);

#endif
