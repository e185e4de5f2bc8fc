/* Accepts connections of clients: at a port of the loopback interface, or at a socket in the file
 * system that only its owner can open. Only processes of the same user are admitted. The socket
 * file is removed when the listener is closed, and when a signal ends the program. */
#ifndef BASE_LISTENER_H
#define BASE_LISTENER_H

#include "base/error.h"
#include "base/types.h"

struct listener {
    int fd;
    u16 port;   /* for a port: its number */
    char *path; /* for a file; otherwise NULL */
};

/* Port 0: any free port. */
struct error *listener_open_port(u16 port, struct listener *ret);
struct error *listener_open_file(const char *path, struct listener *ret);
/* Makes a socket file with a unique name, in $XDG_RUNTIME_DIR or in a new directory. */
struct error *listener_open_private(struct listener *ret);
void listener_close(struct listener *l);

/* Returns the next client, a descriptor that the caller owns; or -1 if `lifeline` (unless it is -1)
 * is closed first. */
struct error *listener_accept(const struct listener *l, int lifeline, int *ret);

#endif
