/* Which user is at the other end of a connection: only the owner of a recording may read it. */
#ifndef BASE_PEER_H
#define BASE_PEER_H

#include "base/types.h"

/* The user of the process that connected to this end, of a socket of the file system or of TCP on
 * this machine; false: it cannot be found out. */
bool peer_user(int fd, u32 *ret);

#endif
