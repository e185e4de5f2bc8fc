/* The address space of the guest's process.
 *
 * The engine chooses the addresses of all guest mappings, in ranges that the kernel never uses by
 * itself (it uses addresses below its own stack, above 0x7f0000000000, and the brk of the engine's
 * image). Program images go below 2 GiB, as does the code cache, so that translated code can name
 * guest addresses and engine data in 32 bits.
 *
 *   0x000008000000  images: executables, libraries, all that is mapped executable from a file;
 *                   from 0x7f000000 on first, see layout.c
 *   0x000010f00000  the code cache, with struct cpu (moved or shrunk if the program is linked
 *                   there)
 *   0x5556000c0000  the heap (brk) of a program that is not linked at a fixed place
 *   0x6e0000000000  pools: the engine's own memory, threads' blocks, look-up tables
 *   0x6f0000000000  the engine's image
 *   0x7ecffff60000  the guest's mappings, downward from here
 *   0x7edefffc0000  the guest's stack, ending here
 *
 * The guest can see this map, so it is part of a recording: a START event names the layout by its
 * number, and a replay uses the same layout. A layout therefore never changes; a new one gets a new
 * number.
 */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include "base/types.h"

#define PAGE_SIZE 4096ul
#define PAGE_MASK (~(PAGE_SIZE - 1))

/* In every layout */
#define LAYOUT_POOLS        0x6e0000000000ul
#define LAYOUT_POOLS_END    0x6f0000000000ul
#define LAYOUT_ENGINE       0x6f0000000000ul
#define LAYOUT_ENGINE_END   0x6f0100000000ul
#define LAYOUT_NOTHING                                                                             \
    0x6f0080000000ul /* in the middle of the range above, where nothing is ever mapped */
#define LAYOUT_MAPPINGS_FIRST 0x700000000000ul
#define LAYOUT_USER_END     0x7ffffffff000ul

enum {
    LAYOUT_FIRST = 0, /* for recordings that name none: format versions 2 and 3 */
    LAYOUT_NEWEST = 1,
    LAYOUT_RANGES = 3,
};

struct layout_range {
    u64 first, end; /* both 0: there is none */
};

/* Ranges are tried in their order, each from its end downward. */
struct layout {
    struct layout_range images[LAYOUT_RANGES];
    struct layout_range low[LAYOUT_RANGES];   /* for MAP_32BIT */
    /* the code cache: the start of its usual place, later where it is
     * (pool_claim)
     */
    u64 cache, cache_end;
    struct layout_range caches[LAYOUT_RANGES]; /* where it may be */
    u64 low_end; /* a heap follows its program if that is linked below this address */
    u64 heap, heap_end;
    u64 mappings_end;
    u64 stack_end;
};

/* The layout of this process: the newest, unless a replay chooses another before the program is
 * loaded. */
extern struct layout layout;
/* False: there is no layout of this number. */
bool layout_choose(u64 number);

static inline u64 page_down(u64 at)
{
    return at & PAGE_MASK;
}

static inline u64 page_up(u64 at)
{
    return (at + PAGE_SIZE - 1) & PAGE_MASK;
}

#endif
