/* The data map: see data_map.h.
 *
 * It covers half a gigabyte of address space, of which only the used parts take memory.
 */
#include "engine/translate/data_map.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/x86_64/cpu.h"

#define MAP_SIZE (1ul << (32 - DATA_GRANULE_BITS))
#define MAP_SPAN (1ul << 32)

enum {
    REGION_BITS = 16,
    LARGE = 1 << 20,
    /* eight bytes of the fine map are read at once: its beginning is repeated after its end */
    MIRRORED = 8,
};

struct data_maps data_maps;

bool data_map_start(void)
{
    if (!data_maps.coarse)
        data_maps.coarse = pool_try_map(MAP_SIZE, PAGE_SIZE);
    if (!data_maps.fine)
        data_maps.fine = pool_try_map(MAP_SIZE + PAGE_SIZE, PAGE_SIZE);
    cpu->data_map = (u64)data_maps.coarse;
    cpu->data_fine = (u64)data_maps.fine;
    return data_maps.coarse && data_maps.fine;
}

static void set_fine(u64 slot, u8 bits)
{
    data_maps.fine[slot] |= bits;
    if (slot < MIRRORED)
        data_maps.fine[MAP_SIZE + slot] |= bits;
}

/* Marks the bits of [start, end), which may wrap around the end. */
static void mark_fine(u64 start, u64 end)
{
    u64 first = start >> DATA_GRANULE_BITS, last = (end - 1) >> DATA_GRANULE_BITS;
    if (last - first >= MAP_SIZE)
        last = first + MAP_SIZE - 1;
    for (u64 n = first; n <= last; n++) {
        u8 bits = 0xff;
        if (n == first)
            bits &= (u8)(0xff << start % 8);
        if (n == (end - 1) >> DATA_GRANULE_BITS)
            bits &= (u8)(0xff >> (7 - (end - 1) % 8));
        set_fine(n % MAP_SIZE, bits);
    }
}

/* Sets slots for addresses from `first` to `last`, which may wrap around the end. */
static void set_bits(u64 first, u64 last, u8 bits)
{
    if (last - first >= MAP_SPAN)
        last = first + MAP_SPAN - 1;
    u64 count = (last >> DATA_GRANULE_BITS) - (first >> DATA_GRANULE_BITS) + 1;
    for (u64 n = 0, slot = data_map_slot(first); n < count; n++, slot = (slot + 1) % MAP_SIZE)
        data_maps.coarse[slot] |= bits;
}

void data_map_mark(u64 start, u64 end, u8 how)
{
    u64 narrow = start >= DATA_NARROW - 1 ? start - (DATA_NARROW - 1) : 0;
    u64 wide = start >= DATA_WIDEST - 1 ? start - (DATA_WIDEST - 1) : 0;
    set_bits(wide, end - 1, (u8)(how << DATA_WIDE));
    set_bits(narrow, end - 1, how);
    mark_fine(start, end);
    data_map_mark_regions(DATA_REGIONS_WATCHED, wide, end);
}

/* Frees pages of the map that are no longer used. */
static void forget_in(u8 *map, u64 first, u64 count)
{
    u64 from = page_up((u64)map + first), to = page_down((u64)map + first + count);
    if (count >= LARGE && from < to) {
        kernel_call(__NR_madvise, from, to - from, MADV_DONTNEED);
        memset(map + first, 0, from - (u64)map - first);
        memset((void *)to, 0, (u64)map + first + count - to);
    } else {
        memset(map + first, 0, count);
    }
}

static void data_map_forget(u64 first, u64 count)
{
    forget_in(data_maps.coarse, first, count);
    forget_in(data_maps.fine, first, count);
    if (first < MIRRORED)
        memset(data_maps.fine + MAP_SIZE, 0, MIRRORED);
}

void data_map_unmark(u64 start, u64 end)
{
    u64 first = start >= DATA_WIDEST - 1 ? start - (DATA_WIDEST - 1) : 0;
    u64 last = end - 1 - first >= MAP_SPAN ? first + MAP_SPAN - 1 : end - 1;
    u64 slot = data_map_slot(first);
    u64 count = (last >> DATA_GRANULE_BITS) - (first >> DATA_GRANULE_BITS) + 1;
    u64 before_end = count < MAP_SIZE - slot ? count : MAP_SIZE - slot;
    data_map_forget(slot, before_end);
    if (count > before_end)
        data_map_forget(0, count - before_end > MAP_SIZE ? MAP_SIZE : count - before_end);
}

void data_map_clear_regions(enum data_regions which)
{
    memset(code_cache.regions[which], 0, CODE_CACHE_REGIONS);
}

void data_map_mark_regions(enum data_regions which, u64 start, u64 end)
{
    u64 first = start >> REGION_BITS, last = (end - 1) >> REGION_BITS;
    if (last - first >= CODE_CACHE_REGIONS)
        last = first + CODE_CACHE_REGIONS - 1;
    for (u64 region = first; region <= last; region++)
        code_cache.regions[which][data_region_slot(region << REGION_BITS)] = 1;
}
