/* The engine's own memory.
 *
 * Addresses are allocated upward through the range of pools, with an unmapped page between two
 * pieces, so that an overrun faults instead of writing into the neighbour. Pieces that were
 * unmapped are remembered in a short list, and their addresses are used again for pieces of the
 * same size, since threads begin and end as long as the program runs.
 *
 * Callers hold the baton, or are the only thread.
 *
 * Invariant
 *   (1) Every address below `next` was given out, or was found taken, once.
 */
#include "engine/base/pool.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/stop.h"

enum {
    CHUNK = 256 * 1024,  /* size of a chunk for small pieces */
    LARGE_PAGE = 2 * 1024 * 1024,
    SMALL_MOST = CHUNK / 8,
    SMALL_ALIGNMENT = 16,
    FREED_MOST = 64,
    PLACES_MOST = 64, /* attempts, if other mappings are in the range */
};

struct freed_range {
    u64 at;
    u64 size;
};

static struct {
    u64 next; /* where the search for free addresses begins */
    struct freed_range freed[FREED_MOST];
    unsigned freed_count;
    u64 chunk_at, chunk_end;       /* the rest of the chunk for small pieces */
} pool = {.next = LAYOUT_POOLS + PAGE_SIZE}; /* so that running into the range faults, too */

static u64 align_up(u64 at, u64 alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

static i64 pool_map_at(u64 at, u64 size)
{
    u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    i64 got = kernel_call(__NR_mmap, at, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (kernel_failed(got) || (u64)got == at)
        return got;
    kernel_call(__NR_munmap, got, size); /* a kernel before 4.17 takes the address as a hint */
    return -EEXIST;
}

/* Returns the address of a released piece; 0 if none fits. */
static u64 take_freed(u64 size, u64 alignment)
{
    for (unsigned i = 0; i < pool.freed_count; i++) {
        struct freed_range found = pool.freed[i];
        if (found.size == size && !(found.at & (alignment - 1))) {
            pool.freed[i] = pool.freed[--pool.freed_count];
            return found.at;
        }
    }
    return 0;
}

void *pool_try_map(size_t size, size_t alignment)
{
    size = align_up(size, PAGE_SIZE);
    if (alignment < PAGE_SIZE)
        alignment = PAGE_SIZE;
    if (!size || size > LAYOUT_POOLS_END - LAYOUT_POOLS)
        return NULL;

    u64 again = take_freed(size, alignment);
    invariant(1, again < pool.next);
    if (again && (u64)pool_map_at(again, size) == again)
        return (void *)again;

    for (int i = 0; i < PLACES_MOST; i++) {
        u64 at = align_up(pool.next, alignment);
        if (at + size > LAYOUT_POOLS_END)
            return NULL;
        i64 got = pool_map_at(at, size);
        if ((u64)got == at || got == -EEXIST)
            pool.next = at + size + PAGE_SIZE;
        if ((u64)got == at)
            return (void *)at;
        if (got != -EEXIST)
            return NULL;
    }
    return NULL;
}

void *pool_map(size_t size, size_t alignment)
{
    void *piece = pool_try_map(size, alignment);
    if (!piece)
        engine_stop("no memory is left for the engine", NULL);
    return piece;
}

void pool_enlarge_pages(u64 start, u64 end)
{
    start = align_up(start + LARGE_PAGE, LARGE_PAGE);
    end &= ~(u64)(LARGE_PAGE - 1);
    if (start < end)
        kernel_call(__NR_madvise, start, end - start, MADV_HUGEPAGE);
}

void pool_unmap(void *piece, size_t size)
{
    size = align_up(size, PAGE_SIZE);
    invariant(1, (u64)piece >= LAYOUT_POOLS && (u64)piece + size < pool.next);
    kernel_call(__NR_munmap, piece, size);
    if (pool.freed_count < FREED_MOST)
        pool.freed[pool.freed_count++] = (struct freed_range){(u64)piece, size};
}

void *pool_take(size_t size)
{
    size = align_up(size, SMALL_ALIGNMENT);
    if (size > SMALL_MOST)
        return pool_map(size, PAGE_SIZE);
    if (pool.chunk_end - pool.chunk_at < size) {
        pool.chunk_at = (u64)pool_map(CHUNK, PAGE_SIZE);
        pool.chunk_end = pool.chunk_at + CHUNK;
    }
    void *piece = (void *)pool.chunk_at;
    pool.chunk_at += size;
    return piece;
}

static bool pool_overlap(u64 start, u64 end, u64 other_start, u64 other_end)
{
    return start < other_end && other_start < end;
}

void pool_claim(u64 start, u64 end)
{
    layout.cache = start;
    layout.cache_end = end;
}

bool pool_owns(u64 start, u64 end)
{
    return pool_overlap(start, end, LAYOUT_POOLS, LAYOUT_POOLS_END) ||
           pool_overlap(start, end, LAYOUT_ENGINE, LAYOUT_ENGINE_END) ||
           pool_overlap(start, end, layout.cache, layout.cache_end);
}
