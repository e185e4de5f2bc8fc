/* Lowering: from a block of guest instructions to code in the cache. */
#ifndef ENGINE_LOWER_H
#define ENGINE_LOWER_H

#include "engine/translate/code_cache.h"
#include "engine/translate/fragment.h"
#include "engine/x86_64/block.h"

/* How a fragment will be entered most often. */
enum lower_entry {
    ENTRY_PLAIN,
    ENTRY_COUNTED,  /* by backward edges: a loop, perhaps */
    ENTRY_INDIRECT, /* by the look-up table */
};

/* Writes the fragment's code, stubs and marks to `room`, and moves `room` past them; fills in the
 * fragment's addresses, links and marks. */
void lower(const struct block *b, struct fragment *f, struct code_room *room, u32 counter,
           enum lower_entry entry);
/* The same for a bare fragment of the instruction at its pc, if lower_can_be_bare(). */
void lower_bare(const struct insn *i, struct fragment *f, struct code_room *room);
bool lower_can_be_bare(const struct insn *i);
/* The same for an entry from the look-up table, if the fragment was made without. */
void lower_late_check(struct fragment *f, struct code_room *room);

/* Called once: how this processor counts fastest. */
void lower_start(bool loop_is_quick);
bool lower_uses_loop(void);

enum { LOWER_LINKS = BLOCK_EXITS + 2 };

#endif
