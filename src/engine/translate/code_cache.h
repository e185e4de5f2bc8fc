/* The code cache: one mapping below 2 GiB that holds struct cpu, the doors, and all translated
 * code.
 *
 * Code is allocated sequentially; when there is no more room everything is dropped at once. Code
 * that runs often is kept close together, for the processor's caches: stubs and marks are separate
 * from it, in chunks that are taken from the end. The mapping is private, so that a fork copies it
 * on write.
 *
 *   code_cache.first                                                          code_cache.end
 *   | look-up table | struct cpu | doors | fragments ...  -> <- ... stubs and marks | more tables |
 *
 * The tables at the end are the wide look-up table (lookup_table.h) and those of variants
 * (fragment.h). They use no memory until they are needed.
 */
#ifndef ENGINE_CODE_CACHE_H
#define ENGINE_CODE_CACHE_H

#include "base/types.h"
#include "engine/translate/fragment.h"

enum { CODE_CACHE_REGIONS = 65536 };

extern struct code_cache {
    u64 first, end;
    u64 *tables[VARIANTS]; /* of lookup_table.h */
    u64 *wide_table; /* of lookup_table.h; NULL: the cache is too small for one */
    u8 *regions[2]; /* two tables for data_map.h, of CODE_CACHE_REGIONS bytes each */
} code_cache;

/* Maps it where the program left room, and makes struct cpu and the doors. */
void code_cache_start(void);

/* Where the next fragment may be written, at least CODE_CACHE_ROOM bytes of both kinds. */
struct code_room {
    u8 *hot;
    u8 *cold;
};
enum { CODE_CACHE_ROOM = 8 * 1024 };
/* False if the cache is full. */
bool code_cache_room(struct code_room *ret);
/* Commits the part of the room that was used. */
void code_cache_commit(struct code_room end);
/* Everything is dropped: begin again after the doors. */
void code_cache_reset(void);

/* Words that translated code counts in, initially 0. They are in chunks without code, and are lost
 * when everything is dropped. code_cache_has_words: true if there is room for those of a block. */
bool code_cache_has_words(void);
u32 code_cache_take_word(void);

u64 code_cache_used(void);

/* The code as it lies in memory, to be kept in a file (kept.h): fragments, stubs and marks. The
 * first page of the fragments also has the end of the doors. */
enum { CODE_CACHE_PARTS = 2 };
struct code_cache_held {
    u64 hot_at, cold_at, cold_end, cold_first, cold_wasted;
    u64 doors_sum, first, end; /* must be the same where the code is used again */
};
struct code_cache_held code_cache_held(void);
void code_cache_parts(const struct code_cache_held *held,
                      struct kept_part parts[CODE_CACHE_PARTS]);
/* True if code that was kept in such a cache fits this one. */
bool code_cache_fits(const struct code_cache_held *held);
/* The cache was filled with what was kept. */
void code_cache_resume(const struct code_cache_held *held);

/* The guest can write here: see observer.damage. */
const char *code_cache_damage(bool all);

#endif
