/* A log of block entries, to find a wrong translation (setting entries=). */
#ifndef ENGINE_ENTRIES_H
#define ENGINE_ENTRIES_H

#include "base/types.h"
#include "engine/base/settings.h"

/* Turns linking off, so that every entry is seen. */
void entries_start(void);
void entries_write(u64 pc);

static inline void entries_note(u64 pc)
{
    if (settings.entries)
        entries_write(pc);
}

#endif
