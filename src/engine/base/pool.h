/* The engine's own memory.
 *
 * Mapped in the range of pools (layout.h), zeroed when new. pool_map() is for big pieces;
 * pool_take() allocates small ones from a common chunk, for things that live as long as the
 * process. Both end the program with a message if memory runs out; pool_try_map() returns NULL
 * instead.
 */
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include "base/types.h"

void *pool_map(size_t size, size_t alignment);
void *pool_try_map(size_t size, size_t alignment);
/* A range that will be filled from its start: beyond the first few megabytes, which suffice for
 * most programs, the kernel may use large pages. */
void pool_enlarge_pages(u64 start, u64 end);
void pool_unmap(void *piece, size_t size);
void *pool_take(size_t size);

/* Declares memory of the engine outside of the pools: the code cache. */
void pool_claim(u64 start, u64 end);

/* True if any byte of [start, end) belongs to the engine (pools, image, cache). The guest must not
 * map, unmap or protect it. */
bool pool_owns(u64 start, u64 end);

#endif
