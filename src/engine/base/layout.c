/* All layouts that were ever used: see layout.h.
 *
 * Below 4 GiB the engine uses no address whose four bytes are printable text: a program that takes
 * text for a pointer faults natively, and must fault here, too. Text has a highest byte of 0x20 to
 * 0x7e. Above 2 GiB the address sanitizer has its shadow, from 0x7fff7000 on. So 511 MiB below
 * 0x1ffff000 and 16 MiB from 0x7f000000 on are left; and at 0x1ffff000 begins what generated test
 * programs like to map at a fixed place.
 *
 * AMD processors find a line in their first-level cache by a hash of bits 12 to 27 of its address:
 * bits 12 to 19, each xor one of the upper eight. Of two lines with the same hash and the same
 * offset in their pages, only one is found at a time, and code that uses both alternately runs up
 * to ten times slower. So the pages that programs use most have hashes far from each other: from
 * the ends on downward (and from the heap's start upward) they are
 *
 *     images 0x10   stack 0x40   mappings 0xa0   heap 0xc0   struct cpu 0xf8 (code_cache.c)
 *
 * In the first layout all but the last of these were 0.
 */
#include "engine/base/layout.h"

/* The address sanitizer's shadow begins a few pages above. */
#define BELOW_2_GIB 0x7fff0000ul

static const struct layout layouts[] = {
    [LAYOUT_FIRST] = {
        .images = {{0x10000000, 0x50000000}},
        .low = {{0x50000000, 0x60000000}, {0x60000000, BELOW_2_GIB}, {0x10000, 0x50000000}},
        .cache = 0x60000000,
        .caches = {{0x10000, BELOW_2_GIB}},
        .low_end = 0x50000000,
        .heap = 0x555600000000,
        .heap_end = 0x565600000000,
        .mappings_end = 0x7ed000000000,
        .stack_end = 0x7edf00000000,
    },
    [LAYOUT_NEWEST] = {
        .images = {{0x7f000000, BELOW_2_GIB}, {0x08000000, 0x10000000}, {0x20000000, 0x50000000}},
        .low = {{0x40000000, 0x7f000000}, {0x20000000, 0x40000000}, {0x10000, 0x20000000}},
        .cache = 0x10f00000,
        .caches = {{0x10000, 0x1ffff000}, {0x7f000000, BELOW_2_GIB}},
        .low_end = 0x50000000,
        .heap = 0x5556000c0000,
        .heap_end = 0x5656000c0000,
        .mappings_end = 0x7ecffff60000,
        .stack_end = 0x7edefffc0000,
    },
};

struct layout layout;

bool layout_choose(u64 number)
{
    if (number >= countof(layouts))
        return false;
    layout = layouts[number];
    return true;
}
