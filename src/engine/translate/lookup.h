/* The look-up table for indirect jumps: cache addresses by the low bits of the target.
 *
 * Translated code jumps through it without the engine; the fragment that is reached checks that it
 * is the right one. An empty slot leads to the door EXIT_LOOKUP. Each variant has its own table
 * (code_cache.tables): a fragment only finds others of its variant.
 */
#ifndef ENGINE_LOOKUP_H
#define ENGINE_LOOKUP_H

#include "base/types.h"

enum { LOOKUP_BITS = 16, LOOKUP_SLOTS = 1 << LOOKUP_BITS };

static inline u32 lookup_slot(u64 pc)
{
    return pc & (LOOKUP_SLOTS - 1);
}

void lookup_clear(u32 variant);

#endif
