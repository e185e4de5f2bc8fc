/* The engine's own memory.
 *
 * Mapped in the range of pools (layout.h), zeroed when new.  pool_map() is for big pieces;
 * pool_take() bumps small ones out of a common chunk, for things that live as long as the
 * process.  Both end the program with a sentence when memory is out; pool_try_map() returns
 * NULL instead.
 */
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include "base/types.h"

void *pool_map(size_t size, size_t alignment);
void *pool_try_map(size_t size, size_t alignment);
/* A range that will be filled from its start: beyond the first few megabytes, which are all that
 * most programs need, the kernel may use large pages. */
void pool_enlarge_pages(u64 start, u64 end);
void pool_unmap(void *piece, size_t size);
void *pool_take(size_t size);

/* Memory of the engine's that lies elsewhere: the code cache. */
void pool_claim(u64 start, u64 end);

/* A guest must not map, unmap or protect over these: is any byte of [start, end) the engine's
 * (pools, image, cache)? */
bool pool_owns(u64 start, u64 end);

#endif
