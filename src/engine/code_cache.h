/* The code cache: one mapping below 2 GiB that holds struct cpu, the doors, and all translated code.
 *
 * Code is bump-allocated; when the end is reached everything is dropped at once.  The
 * mapping is private, so that a fork copies it on write.
 *
 *   code_cache_first                                                code_cache_end
 *   | struct cpu | the doors | fragments, each with its stubs and marks ...       |
 */
#ifndef ENGINE_CODE_CACHE_H
#define ENGINE_CODE_CACHE_H

#include "base/types.h"

extern u64 code_cache_first, code_cache_end;

/* Maps it where the program left room, and makes struct cpu and the doors. */
void code_cache_start(void);

/* Where the next fragment may be written: at least CODE_CACHE_ROOM bytes, or NULL if the cache is full. */
enum { CODE_CACHE_ROOM = 64 * 1024 };
u8 *code_cache_room(void);
/* The fragment ends at `end`. */
void code_cache_commit(u8 *end);
/* Everything is dropped: begin again after the doors. */
void code_cache_reset(void);

u64 code_cache_used(void);

#endif
