/* Where everything is in the guest's process.
 *
 * The engine places all that the guest maps by itself, in ranges from which the kernel never
 * picks (it picks below its own stack, above 0x7f0000000000, and for the brk of our own image).
 * Program images go below 2 GiB, as does the code cache, so that translated code can name
 * guest addresses and engine data in 32 bits.
 *
 *   0x000010000000  images: executables, libraries, whatever is mapped executable from a file
 *   0x000060000000  the code cache, with struct cpu (moved or shrunk if the program is linked there)
 *   0x555600000000  the heap (brk) of a program that is not linked at a fixed place
 *   0x6e0000000000  pools: the engine's own memory, threads' blocks, look-up tables
 *   0x6f0000000000  the engine's image
 *   0x7ed000000000  the guest's mappings, downward from here
 *   0x7edf00000000  the guest's stack, ending here
 */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include "base/types.h"

#define PAGE_SIZE 4096ul
#define PAGE_MASK (~(PAGE_SIZE - 1))

#define LAYOUT_IMAGES_FIRST 0x000010000000ul
#define LAYOUT_IMAGES_END   0x000050000000ul
#define LAYOUT_CACHE        0x000060000000ul
#define LAYOUT_CACHE_END    0x000080000000ul /* at most */
#define LAYOUT_HEAP         0x555600000000ul
#define LAYOUT_HEAP_END     0x565600000000ul
#define LAYOUT_POOLS        0x6e0000000000ul
#define LAYOUT_POOLS_END    0x6f0000000000ul
#define LAYOUT_ENGINE       0x6f0000000000ul
#define LAYOUT_ENGINE_END   0x6f0100000000ul
#define LAYOUT_NOTHING      0x6f0080000000ul /* in the middle of the range above: nothing is ever mapped there */
#define LAYOUT_MAPPINGS_END 0x7ed000000000ul
#define LAYOUT_MAPPINGS_FIRST 0x700000000000ul
#define LAYOUT_STACK_END    0x7edf00000000ul
#define LAYOUT_USER_END     0x7ffffffff000ul

static inline u64 page_down(u64 at)
{
    return at & PAGE_MASK;
}

static inline u64 page_up(u64 at)
{
    return (at + PAGE_SIZE - 1) & PAGE_MASK;
}

#endif
