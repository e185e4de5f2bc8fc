/* The data map: tells whether an address may be watched. It is tested before every store (and load)
 * of a checked variant.
 *
 * It has a byte for each eight bytes of memory, by the low 32 bits of the address: addresses with
 * the same low bits share it. Its bits say what an access that begins there may hit. An access of
 * up to eight bytes is caught by marks up to seven bytes before the watched memory, a wider one (up
 * to 64) by separate marks.
 *
 * Where flags are live, code cannot shift: it tests a coarse table first, with a byte for each 64
 * KiB. A similar table says where the stack must not be while accesses relative to rsp are not
 * checked.
 *
 * If they say "perhaps", the fine map is tested, which has a bit for each byte: a variable next to
 * a watched one, in the same or the next eight bytes, may be written all the time.
 *
 * All answer "perhaps" or "no"; data_watch.h finds the exact answer.
 */
#ifndef ENGINE_DATA_MAP_H
#define ENGINE_DATA_MAP_H

#include "base/types.h"
#include "engine/translate/code_cache.h"

enum {
    DATA_STORE = 1,
    DATA_LOAD = 2,
    DATA_WIDE = 2, /* shift: the same bits for wide accesses */
    DATA_GRANULE_BITS = 3,
    DATA_NARROW = 8,
    DATA_WIDEST = 64,
    DATA_FINEST = 32, /* size of the largest access for which the fine map is used */
};

extern struct data_maps {
    u8 *coarse; /* NULL: not made yet */
    u8 *fine;
} data_maps;

enum data_regions { DATA_REGIONS_WATCHED, DATA_REGIONS_STACK };

/* False: there is no room for it. */
bool data_map_start(void);
void data_map_mark(u64 start, u64 end, u8 how);
void data_map_unmark(u64 start, u64 end);
void data_map_clear_regions(enum data_regions which);
/* Marks [start, end) in the regions. */
void data_map_mark_regions(enum data_regions which, u64 start, u64 end);

static inline u64 data_map_slot(u64 address)
{
    return (u32)address >> DATA_GRANULE_BITS;
}

static inline bool data_map_has(u64 address, u8 mask)
{
    return data_maps.coarse[data_map_slot(address)] & mask;
}

/* The slot as code computes it: bytes 2 and 3 of the address, swapped. */
static inline u32 data_region_slot(u64 address)
{
    return (u32)((address >> 16 & 0xff) << 8 | (address >> 24 & 0xff));
}

static inline bool data_region_has(enum data_regions which, u64 address)
{
    return code_cache.regions[which][data_region_slot(address)];
}

#endif
