/* Digests of the guest's state, by which a replay is held against its recording. */
#ifndef ENGINE_DIGEST_H
#define ENGINE_DIGEST_H

#include "base/types.h"

/* Of the general registers in cpu; never 0. */
u64 digest_registers(void);
/* Of the vector registers. */
u64 digest_vectors(void);
/* Of all memory that the guest can write and shares with no other process. */
struct digest_extent {
    u64 bytes; /* how much that was */
    u64 read;  /* how much of it had to be read: the rest has never been touched */
};
u64 digest_memory(struct digest_extent *ret);

#endif
