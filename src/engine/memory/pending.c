/* Memory whose contents were not read yet: see the header.
 *
 * The kernel limits the number of mappings, so at least a block is read at once: even if every
 * other block stays closed, there are not too many ranges. Sequential faults read more and more at
 * a time.
 *
 * Invariants
 *   (1) The ranges are sorted and apart, and the kernel has PROT_NONE for all of them.
 */
#include "engine/memory/pending.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"

enum {
    FIRST_ROOM = 4096,
    BLOCK_LEAST = 16 * PAGE_SIZE,
    BLOCKS_MOST = 8192,
    STEP_MOST = 1024 * PAGE_SIZE,
};

struct pending_range {
    u64 start, end;
};

static struct {
    struct pending_range *list;
    u64 count, room;
    u64 block;         /* a power of two */
    /* the address of the next fault if access is sequential, and how much is read then */
    u64 expected, step;
    u64 read_count;    /* pages */
    pending_read *read;
    void *context;
} pending;

void pending_start(pending_read *read, void *context, u64 pages)
{
    pending.read = read;
    pending.context = context;
    pending.block = BLOCK_LEAST;
    while (pending.block * BLOCKS_MOST < pages * PAGE_SIZE)
        pending.block *= 2;
}

/* Returns the index of the first range that ends above `at`. */
static u64 pending_index(u64 at)
{
    u64 low = 0, high = pending.count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (pending.list[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void pending_make_room(void)
{
    if (pending.count < pending.room)
        return;
    u64 room = pending.room ? 2 * pending.room : FIRST_ROOM;
    struct pending_range *grown = pool_map(room * sizeof(*grown), PAGE_SIZE);
    if (pending.list) {
        memcpy(grown, pending.list, pending.count * sizeof(*grown));
        pool_unmap(pending.list, pending.room * sizeof(*grown));
    }
    pending.list = grown;
    pending.room = room;
}

/* Removes [start, end), which is within the range. */
static void pending_cut(u64 i, u64 start, u64 end)
{
    pending_make_room();
    struct pending_range *r = &pending.list[i];
    invariant(1, r->start <= start && start < end && end <= r->end);
    bool before = r->start < start, after = end < r->end;
    if (before && after) {
        memmove(r + 1, r, (pending.count - i) * sizeof(*r));
        pending.count++;
        r[0].end = start;
        r[1].start = end;
    } else if (before) {
        r->end = start;
    } else if (after) {
        r->start = end;
    } else {
        pending.count--;
        memmove(r, r + 1, (pending.count - i) * sizeof(*r));
    }
}

static bool pending_protect(u64 start, u64 end, u32 protection)
{
    return !kernel_failed(kernel_call(__NR_mprotect, start, end - start, protection));
}

/* Restores the protection that the guest requested. */
static void pending_open(u64 start, u64 end)
{
    for (const struct area *a = areas_from(start); a && a->start < end; a = areas_from(a->end)) {
        u64 from = a->start > start ? a->start : start, to = a->end < end ? a->end : end;
        u32 protection = code_watch_kernel_protection(a->protection);
        if (protection != (PROT_READ | PROT_WRITE) && !pending_protect(from, to, protection))
            log_unable("a snapshot's memory cannot be protected");
        code_watch_apply(from, to, a->protection);
    }
}

/* A range that cannot be divided is taken as a whole. */
static void pending_take(u64 i, u64 start, u64 end, bool wanted)
{
    if (!pending_protect(start, end, PROT_READ | PROT_WRITE)) {
        start = pending.list[i].start;
        end = pending.list[i].end;
        wanted = true;
        if (!pending_protect(start, end, PROT_READ | PROT_WRITE))
            log_unable("a snapshot's memory cannot be protected");
    }
    pending_cut(i, start, end);
    if (wanted)
        pending.read_count += pending.read(pending.context, start, end);
    pending_open(start, end);
}

bool pending_add(u64 start, u64 end)
{
    invariant(1, !pending.count || pending.list[pending.count - 1].end <= start);
    pending_make_room();
    if (!pending_protect(start, end, PROT_NONE))
        return false;
    pending.list[pending.count++] = (struct pending_range){start, end};
    return true;
}

bool pending_fault(u64 address)
{
    u64 i = pending_index(address);
    if (i == pending.count || pending.list[i].start > address)
        return false;
    const struct pending_range r = pending.list[i];
    bool goes_on = page_down(address) == pending.expected;
    u64 start = address & ~(pending.block - 1);
    pending.step = !goes_on ? pending.block
                   : pending.step < STEP_MOST ? 2 * pending.step : pending.step;
    start = start > r.start ? start : r.start;
    u64 end = page_down(start & ~(pending.block - 1)) + pending.step;
    end = end < r.end ? end : r.end;
    pending_take(i, start, end, true);
    pending.expected = end;
    return true;
}

/* Calls `visit` for each pending part of [start, end). */
static bool pending_each(u64 start, u64 end, void (*visit)(u64 i, u64 start, u64 end))
{
    bool any = false;
    for (u64 i; (i = pending_index(start)) < pending.count && pending.list[i].start < end;) {
        const struct pending_range *r = &pending.list[i];
        u64 from = r->start > start ? r->start : start, to = r->end < end ? r->end : end;
        visit(i, from, to);
        any = true;
    }
    return any;
}

static void fill_part(u64 i, u64 start, u64 end)
{
    pending_take(i, start, end, true);
}

static void discard_part(u64 i, u64 start, u64 end)
{
    pending_take(i, start, end, false);
}

bool pending_fill(u64 start, u64 end)
{
    u64 last = end > ~0ul - PAGE_SIZE ? end : page_up(end);
    return pending.count && pending_each(page_down(start), last, fill_part);
}

void pending_forget(u64 start, u64 end)
{
    if (pending.count)
        pending_each(start, end, pending_cut);
}

void pending_discard(u64 start, u64 end)
{
    if (pending.count)
        pending_each(start, end, discard_part);
}

u64 pending_read_count(void)
{
    return pending.read_count;
}
