/* Digests of the guest's state, to compare a replay with its recording. */
#ifndef ENGINE_DIGEST_H
#define ENGINE_DIGEST_H

#include "base/types.h"

/* Of the general registers in cpu; never 0. */
u64 digest_registers(void);
/* Of the vector registers. */
u64 digest_vectors(void);
/* The digest of all memory that the guest can write and shares with no other process. */
struct digest_extent {
    u64 bytes; /* the size of that memory */
    u64 read;  /* how much of it had to be read: the rest was never touched */
};
u64 digest_memory(struct digest_extent *ret);

#endif
