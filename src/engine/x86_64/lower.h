/* Lowering: from a block of guest instructions to code in the cache. */
#ifndef ENGINE_LOWER_H
#define ENGINE_LOWER_H

#include "engine/fragment.h"
#include "engine/x86_64/block.h"

/* Writes the fragment's code, stubs and marks at `at`; fills its addresses, links and marks. Returns the end. */
u8 *lower(const struct block *b, struct fragment *f, u8 *at, u32 counter);

/* Says once how processors of this maker like to count. */
void lower_start(bool loop_is_quick);

enum { LOWER_LINKS = BLOCK_EXITS + 2 };

#endif
