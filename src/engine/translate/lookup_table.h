/* The look-up tables for indirect jumps: cache addresses by some bits of the target.
 *
 * Translated code jumps through them without the engine; the fragment that is reached checks that
 * it is the right one, and otherwise passes on to the next fragment of the slot. An empty slot
 * leads to the door EXIT_LOOKUP. Each variant has a table of its own: a fragment only finds others
 * of its variant.
 *
 * A table is narrow at first: 2^16 slots, by the low bits of the target. When the plain fragments
 * crowd in theirs, everything is dropped and translated for the wide table. There `pext` collects
 * the bits of the target that cpu->lookup_mask names. Which bits they are is chosen by trying: a
 * program's targets may all lie a multiple of 64 bytes, or of a page, from each other. The wide
 * table grows in place when more bits are needed.
 *
 * A plain fragment jumps through the wide table if and only if the table is wide: the change drops
 * all.
 *
 * Invariant
 *   (1) Each published fragment is in the slot that the table's index gives for its pc.
 */
#ifndef ENGINE_LOOKUP_TABLE_H
#define ENGINE_LOOKUP_TABLE_H

#include "base/types.h"
#include "engine/translate/fragment.h"
#include "engine/translate/kept_part.h"

enum {
    LOOKUP_BITS = 16,
    LOOKUP_SLOTS = 1 << LOOKUP_BITS,
    LOOKUP_WIDE_FIRST = 18, /* bits of the wide table at first, */
    LOOKUP_WIDE_MOST = 20,  /* and at most */
    LOOKUP_WIDE_BYTES = 8 << LOOKUP_WIDE_MOST,
};

void lookup_start(void);
/* The variant will be used. */
void lookup_use(u8 variant);

/* Where jumps of this variant's fragments look up, and whether by lookup_mask. */
u64 lookup_table(u8 variant);
bool lookup_is_wide(u8 variant);

/* The fragment has from_table and chain_at. */
void lookup_add(struct fragment *f);
void lookup_remove(struct fragment *f);

/* True if the plain table should become wide: before the next fragment is made, lookup_widen() and
 * then dropping everything do that. */
bool lookup_crowded(void);
void lookup_widen(void);

/* Empties the tables of all variants, or of all but the plain one. */
void lookup_clear(bool plain_too);
/* Fills the plain table, if nothing has used it yet. */
void lookup_prepare(void);
/* False if something has written over the plain table. */
bool lookup_intact(void);

/* The plain table as it lies in memory, to be kept in a file. */
enum { LOOKUP_PARTS = 2 };
struct lookup_held {
    u32 bits; /* of the wide table; 0: it is narrow */
    u32 mask;
    u32 published, crowded;
};
struct lookup_held lookup_held(void);
/* The first part has addresses of code. */
void lookup_parts(const struct lookup_held *held, struct kept_part parts[LOOKUP_PARTS]);
/* True if this process can use such a table. */
bool lookup_fits(const struct lookup_held *held);
/* The table was replaced by what was kept. */
void lookup_resume(const struct lookup_held *held);

#endif
