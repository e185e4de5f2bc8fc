/* The code cache: see code_cache.h.  This file places it and hands out its room. */
#include "engine/code_cache.h"

#include "engine/areas.h"
#include "engine/kernel.h"
#include "engine/kernel_abi.h"
#include "engine/layout.h"
#include "engine/lookup.h"
#include "engine/pool.h"
#include "engine/settings.h"
#include "engine/stop.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/doors.h"

enum {
    HEAD = 4096,
    TABLE = LOOKUP_SLOTS * 8,
    CACHE_LEAST = 1024 * 1024,
    COLD_CHUNK = 64 * 1024,
    COLD_PLAIN = 2 * 1024 * 1024, /* that much of it with small pages */
};

#define BELOW_2_GIB 0x7fff0000ul

u64 code_cache_first, code_cache_end;
struct cpu *cpu;
u64 *lookup_table;

static u8 *hot_first; /* after the doors */
static u8 *hot_at;
static u8 *cold_at, *cold_end; /* in the chunk at hand */
static u8 *cold_first;         /* the lowest chunk: there ends the room for hot code */
static u64 cold_wasted;        /* at the ends of chunks */

static bool map_at(u64 at, u64 size)
{
    i64 got = kernel_call(__NR_mmap, at, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == (i64)at)
        return true;
    if (!kernel_failed(got))
        kernel_call(__NR_munmap, got, size);
    return false;
}

/* The usual place; else the highest that the program leaves free; a smaller one, if there is none. */
static u64 map_cache(u64 size)
{
    if (areas_gap(LAYOUT_CACHE, LAYOUT_CACHE + size, size, PAGE_SIZE, true) && map_at(LAYOUT_CACHE, size))
        return LAYOUT_CACHE;
    u64 at = areas_gap(PAGE_SIZE * 16, BELOW_2_GIB, size, PAGE_SIZE, false);
    return at && map_at(at, size) ? at : 0;
}

void code_cache_start(void)
{
    u64 size = page_up(settings.cache < CACHE_LEAST ? CACHE_LEAST : settings.cache);
    u64 at = 0;
    while (!(at = map_cache(size)) && size > CACHE_LEAST)
        size /= 2;
    if (!at)
        engine_refuse(126, "code cache", "no room below 2 GiB");
    code_cache_first = at;
    code_cache_end = at + size;
    cpu = (struct cpu *)at;
    lookup_table = (u64 *)(at + HEAD);
    hot_first = doors_make((u8 *)(at + HEAD + TABLE));
    code_cache_reset();
    pool_enlarge_pages(code_cache_first, code_cache_end - COLD_PLAIN);
    lookup_clear();
}

static bool next_cold_chunk(void)
{
    if (cold_first - COLD_CHUNK < hot_at + CODE_CACHE_ROOM)
        return false;
    cold_wasted += (u64)(cold_end - cold_at);
    cold_first -= COLD_CHUNK;
    cold_at = cold_first;
    cold_end = cold_at + COLD_CHUNK;
    return true;
}

bool code_cache_room(struct code_room *ret)
{
    if (hot_at + CODE_CACHE_ROOM > cold_first)
        return false;
    if (cold_at + CODE_CACHE_ROOM > cold_end && !next_cold_chunk())
        return false;
    *ret = (struct code_room){hot_at, cold_at};
    return true;
}

void code_cache_commit(struct code_room end)
{
    assert(end.hot <= cold_first && end.cold <= cold_end);
    hot_at = end.hot;
    cold_at = end.cold;
}

void code_cache_reset(void)
{
    hot_at = hot_first;
    cold_first = cold_at = cold_end = (u8 *)code_cache_end;
    cold_wasted = 0;
}

u64 code_cache_used(void)
{
    u64 cold = code_cache_end - (u64)cold_first - cold_wasted - (u64)(cold_end - cold_at);
    return (u64)(hot_at - hot_first) + cold;
}

void lookup_clear(void)
{
    for (u32 slot = 0; slot < LOOKUP_SLOTS; slot++)
        lookup_table[slot] = doors.missed;
}
