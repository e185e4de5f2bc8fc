/* The code cache: see code_cache.h. This file chooses the address of the cache, lays it out, and
 * allocates room in it.
 *
 * Fragments grow from one end, stubs and marks from the other, in chunks. The page of struct cpu is
 * filled with a pattern around the struct; code_cache_damage() finds a program that has written
 * over it, over the doors or over the tables.
 */
#include "engine/translate/code_cache.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/stats.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/translate/lookup_table.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/doors.h"

enum {
    CPU_PAGE = 4096,
    CPU_OFFSET = 0xa80, /* offset in that page */
    TABLE = LOOKUP_SLOTS * 8,
    TABLES = (VARIANTS - 1) * TABLE + 2 * CODE_CACHE_REGIONS,
    CACHE_LEAST = 1024 * 1024,
    COLD_CHUNK = 64 * 1024,
    CANARY = 0xeb,
    COLD_PLAIN = 2 * 1024 * 1024, /* this much of it uses small pages */
    WIDE_SHARE = 8, /* the wide look-up table takes at most one in so many bytes of the cache */
};

/* struct cpu is after the first table, in a page whose hash in the processor's first-level cache
 * differs from those of the pages that programs use most (layout.c), and not at the start of the
 * page, where a program's data often begins. */
_Static_assert(CPU_OFFSET % 64 == 0 && CPU_OFFSET + sizeof(struct cpu) <= CPU_PAGE, "in one page");

struct code_cache code_cache;
struct cpu *cpu;

static struct {
    u8 *hot_first; /* after the doors */
    u8 *end;       /* where the tables of variants begin */
    u8 *hot_at;
    u8 *cold_at, *cold_end; /* in the current chunk */
    u8 *word_at, *word_end; /* in the current chunk of words */
    u8 *cold_first;         /* the lowest chunk, where the room for hot code ends */
    u64 cold_wasted;        /* bytes wasted at the ends of chunks */
    u64 doors_sum;          /* of the doors, which never change */
} room;

static bool code_cache_map_at(u64 at, u64 size)
{
    i64 got = kernel_call(__NR_mmap, at, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == (i64)at)
        return true;
    if (!kernel_failed(got))
        kernel_call(__NR_munmap, got, size);
    return false;
}

/* The usual place; otherwise the highest that the program leaves free; otherwise a smaller
 * cache. */
static u64 map_cache(u64 size)
{
    u64 at = layout.cache;
    if (at + size <= layout.caches[0].end && areas_free(at, at + size) &&
        code_cache_map_at(at, size))
        return at;
    for (unsigned i = 0; i < LAYOUT_RANGES && layout.caches[i].end; i++) {
        at = areas_gap(layout.caches[i].first, layout.caches[i].end, size, PAGE_SIZE, false);
        if (at && code_cache_map_at(at, size))
            return at;
    }
    return 0;
}

/* The wide look-up table is taken from the room for code, so that the cache ends where it always
 * did: the guest's mappings depend on that. */
static void place_wide_table(u64 first, u64 end)
{
    room.end = (u8 *)end;
    if ((end - first) / WIDE_SHARE < LOOKUP_WIDE_BYTES)
        return;
    room.end = (u8 *)(end - LOOKUP_WIDE_BYTES);
    code_cache.wide_table = (u64 *)room.end;
}

static void place_tables(u64 first, u64 end)
{
    place_wide_table(first, end);
    code_cache.tables[0] = (u64 *)first;
    for (u32 n = 1; n < VARIANTS; n++)
        code_cache.tables[n] = (u64 *)(end + (n - 1) * TABLE);
    for (u32 n = 0; n < countof(code_cache.regions); n++)
        code_cache.regions[n] = (u8 *)end + (VARIANTS - 1) * TABLE + n * CODE_CACHE_REGIONS;
}

/* Around struct cpu, in its page: nothing writes there. */
static void code_cache_fill_canary(void)
{
    u8 *page = (u8 *)page_down((u64)cpu);
    memset(page, CANARY, CPU_OFFSET);
    memset(page + CPU_OFFSET + sizeof(*cpu), CANARY, CPU_PAGE - CPU_OFFSET - sizeof(*cpu));
}

static bool code_cache_canary_lives(void)
{
    const u8 *page = (const u8 *)page_down((u64)cpu);
    for (u32 n = 0; n < CPU_PAGE; n++)
        if ((n < CPU_OFFSET || n >= CPU_OFFSET + sizeof(*cpu)) && page[n] != CANARY)
            return false;
    return true;
}

static u64 code_cache_sum_doors(void)
{
    u64 sum = 0;
    for (const u8 *at = (const u8 *)page_down((u64)cpu) + CPU_PAGE; at < room.hot_first; at++)
        sum = (sum ^ *at) * 0x100000001b3;
    return sum;
}

const char *code_cache_damage(bool all)
{
    if (!code_cache_canary_lives())
        return "around its registers";
    if (all && code_cache_sum_doors() != room.doors_sum)
        return "in its doors";
    if (all && !lookup_intact())
        return "in its look-up table";
    return NULL;
}

void code_cache_start(void)
{
    u64 size = page_up(settings.cache < CACHE_LEAST ? CACHE_LEAST : settings.cache);
    u64 at = 0;
    while (!(at = map_cache(size + TABLES)) && size > CACHE_LEAST)
        size /= 2;
    if (!at)
        engine_refuse(126, "code cache", "no room below 2 GiB");
    code_cache.first = at;
    code_cache.end = at + size + TABLES;
    pool_claim(code_cache.first, code_cache.end);
    stats_sources.cache_bytes = code_cache_used;
    cpu = (struct cpu *)(at + TABLE + CPU_OFFSET);
    place_tables(at, at + size);
    room.hot_first = doors_make((u8 *)(at + TABLE + CPU_PAGE));
    code_cache_fill_canary();
    room.doors_sum = code_cache_sum_doors();
    code_cache_reset();
    pool_enlarge_pages(code_cache.first, (u64)room.end - COLD_PLAIN);
}

static bool next_cold_chunk(void)
{
    if (room.cold_first - COLD_CHUNK < room.hot_at + CODE_CACHE_ROOM)
        return false;
    room.cold_wasted += (u64)(room.cold_end - room.cold_at);
    room.cold_first -= COLD_CHUNK;
    room.cold_at = room.cold_first;
    room.cold_end = room.cold_at + COLD_CHUNK;
    return true;
}

bool code_cache_room(struct code_room *ret)
{
    lookup_prepare();
    if (room.hot_at + CODE_CACHE_ROOM > room.cold_first)
        return false;
    if (room.cold_at + CODE_CACHE_ROOM > room.cold_end && !next_cold_chunk())
        return false;
    *ret = (struct code_room){room.hot_at, room.cold_at};
    return true;
}

bool code_cache_has_words(void)
{
    if ((u64)(room.word_end - room.word_at) >= BLOCK_INSNS * sizeof(u64))
        return true;
    lookup_prepare();
    if (room.cold_first - COLD_CHUNK < room.hot_at + CODE_CACHE_ROOM)
        return false;
    room.cold_first -= COLD_CHUNK;
    room.word_at = room.cold_first;
    room.word_end = room.word_at + COLD_CHUNK;
    memset(room.word_at, 0, COLD_CHUNK);
    return true;
}

u32 code_cache_take_word(void)
{
    u8 *at = room.word_at;
    assert(at < room.word_end);
    room.word_at += sizeof(u64);
    return (u32)(u64)at;
}

void code_cache_commit(struct code_room end)
{
    assert(end.hot <= room.cold_first && end.cold <= room.cold_end);
    room.hot_at = end.hot;
    room.cold_at = end.cold;
}

void code_cache_reset(void)
{
    room.hot_at = room.hot_first;
    room.cold_first = room.cold_at = room.cold_end = room.end;
    room.cold_wasted = 0;
    room.word_at = room.word_end = NULL;
}

u64 code_cache_used(void)
{
    u64 cold = (u64)(room.end - room.cold_first) - room.cold_wasted -
               (u64)(room.cold_end - room.cold_at);
    return (u64)(room.hot_at - room.hot_first) + cold;
}

struct code_cache_held code_cache_held(void)
{
    return (struct code_cache_held){
        .hot_at = (u64)room.hot_at,
        .cold_at = (u64)room.cold_at,
        .cold_end = (u64)room.cold_end,
        .cold_first = (u64)room.cold_first,
        .cold_wasted = room.cold_wasted,
        .doors_sum = room.doors_sum,
        .first = code_cache.first,
        .end = code_cache.end,
    };
}

void code_cache_parts(const struct code_cache_held *held, struct kept_part parts[CODE_CACHE_PARTS])
{
    u64 hot = page_down((u64)room.hot_first), cold = held->cold_first;
    parts[0] = (struct kept_part){hot, held->hot_at - hot};
    parts[1] = (struct kept_part){cold, (u64)room.end - cold};
}

bool code_cache_fits(const struct code_cache_held *held)
{
    return held->doors_sum == room.doors_sum && held->first == code_cache.first &&
           held->end == code_cache.end && held->hot_at >= (u64)room.hot_first &&
           held->hot_at <= held->cold_first && held->cold_first <= (u64)room.end &&
           !(held->cold_first & ~PAGE_MASK) && held->cold_first <= held->cold_at &&
           held->cold_at <= held->cold_end && held->cold_end <= (u64)room.end;
}

void code_cache_resume(const struct code_cache_held *held)
{
    room.hot_at = (u8 *)held->hot_at;
    room.cold_at = (u8 *)held->cold_at;
    room.cold_end = (u8 *)held->cold_end;
    room.cold_first = (u8 *)held->cold_first;
    room.cold_wasted = held->cold_wasted;
}
