/* A listing of translations next to the guest's code, for developers of the engine (setting
 * blocks=). tools/blocks reads it; docs/engine-debugging.md describes the format. */
#ifndef ENGINE_LISTING_H
#define ENGINE_LISTING_H

#include "base/types.h"
#include "engine/base/settings.h"

struct block;
struct fragment;

void listing_start(void);
void listing_write(const struct block *b, const struct fragment *f);

static inline void listing_note(const struct block *b, const struct fragment *f)
{
    if (settings.blocks)
        listing_write(b, f);
}

#endif
