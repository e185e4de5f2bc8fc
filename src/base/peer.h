/* Finds the user at the other end of a connection: only the owner of a recording may read it. */
#ifndef BASE_PEER_H
#define BASE_PEER_H

#include "base/types.h"

/* Returns the user of the connected process, for a socket in the file system or TCP on this
 * machine; false: unknown. */
bool peer_user(int fd, u32 *ret);

#endif
