/* Areas: the guest's mappings and their properties.
 *
 * One sorted array with binary search, and free room in its middle where the last change was: a
 * program that maps tens of thousands of areas changes them mostly in one place. A change is made
 * in two steps: the range is cut out of the areas that were there (an area that it splits becomes
 * two), then the new area is put in, and joined with a neighbour that continues it.
 *
 * Invariants
 *   (1) Areas are sorted, not empty, page-aligned, and do not overlap.
 *   (2) Two areas that continue each other are joined to one.
 *   (3) There is always room for SPARE more, so that a change cannot fail half-way.
 */
#include "engine/memory/areas.h"

#include <asm/mman.h>

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"

enum {
    ROOM_FIRST = 1024,
    SPARE = 4,
    RESERVED_MOST = 64,
};

struct areas_versions areas_versions;

struct reserved_range {
    u64 start;
    u64 end;
};

/* Where a downward search from `high` may begin: between start[n] and `high` there is no gap of 2^n
 * pages or more. Without it, a program with tens of thousands of areas would search all of them at
 * each mmap. */
enum { FRONTIERS = 2, FRONTIER_SIZES = 10 };

struct frontier {
    u64 high;
    u64 start[FRONTIER_SIZES]; /* each the start of an area or of something reserved, or `high` */
};

static struct {
    struct area *slots;
    size_t count, room;
    size_t gap;  /* number of areas before the free room */
    size_t last; /* most queries are about the same area as the one before */
    struct reserved_range reserved[RESERVED_MOST]; /* sorted */
    size_t reserved_count;
    struct frontier frontiers[FRONTIERS];
    unsigned next_frontier; /* the next one to be replaced */
} areas;

static struct area *area(size_t i)
{
    return &areas.slots[i < areas.gap ? i : i + (areas.room - areas.count)];
}

/* Returns the index of the first area that ends above `at`; `count` if there is none. */
static size_t index_from(u64 at)
{
    size_t last = areas.last;
    /* or the one below, for a downward search */
    for (size_t i = last; i < areas.count && i + 1 >= last; i--)
        if (at < area(i)->end && (i == 0 || at >= area(i - 1)->end))
            return areas.last = i;
    size_t low = 0, high = areas.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (area(middle)->end > at)
            high = middle;
        else
            low = middle + 1;
    }
    areas.last = low;
    return low;
}

const struct area *areas_from(u64 at)
{
    size_t i = index_from(at);
    return i < areas.count ? area(i) : NULL;
}

const struct area *areas_find(u64 at)
{
    const struct area *a = areas_from(at);
    return a && a->start <= at ? a : NULL;
}

/* Moves the free room before area `i`. */
static void move_gap(size_t i)
{
    size_t size = areas.room - areas.count;
    if (i < areas.gap)
        memmove(&areas.slots[i + size], &areas.slots[i], (areas.gap - i) * sizeof(*areas.slots));
    else
        memmove(&areas.slots[areas.gap], &areas.slots[areas.gap + size],
                (i - areas.gap) * sizeof(*areas.slots));
    areas.gap = i;
}

static void areas_make_room(void)
{
    if (areas.count + SPARE <= areas.room)
        return;
    size_t more = areas.room ? areas.room * 2 : ROOM_FIRST;
    struct area *bigger = pool_map(more * sizeof(*areas.slots), PAGE_SIZE);
    if (areas.room) {
        move_gap(areas.count);
        memcpy(bigger, areas.slots, areas.count * sizeof(*areas.slots));
        pool_unmap(areas.slots, areas.room * sizeof(*areas.slots));
    }
    areas.slots = bigger;
    areas.room = more;
    invariant(3, areas.count + SPARE <= areas.room);
}

static void areas_insert(size_t i, const struct area *a)
{
    invariant(3, areas.count < areas.room);
    move_gap(i);
    areas.slots[areas.gap++] = *a;
    areas.count++;
}

static void delete(size_t i, size_t n)
{
    move_gap(i);
    areas.count -= n;
}

/* Returns the part of `a` from `start` on. */
static struct area part_from(const struct area *a, u64 start)
{
    struct area part = *a;
    part.start = start;
    if (a->flags & (AREA_FILE | AREA_SHM))
        part.offset += start - a->start;
    return part;
}

/* Splits the area that contains `at`, so that one begins there. */
static void areas_split(u64 at)
{
    size_t i = index_from(at);
    if (i == areas.count || area(i)->start >= at)
        return;
    struct area upper = part_from(area(i), at);
    area(i)->end = at;
    areas_insert(i + 1, &upper);
}

static bool areas_continues(const struct area *a, const struct area *b)
{
    if (a->end != b->start || a->protection != b->protection || a->flags != b->flags)
        return false;
    if (!(a->flags & (AREA_FILE | AREA_SHM)))
        return true;
    return a->device == b->device && a->inode == b->inode &&
           a->offset + (a->end - a->start) == b->offset;
}

/* Joins area `i` with the one before it, if it continues it. */
static void areas_join(size_t i)
{
    if (i == 0 || i >= areas.count || !areas_continues(area(i - 1), area(i)))
        return;
    area(i - 1)->end = area(i)->end;
    delete(i, 1);
}

/* Joins every pair with a border in [start, end], from the last one down. */
static void join_range(u64 start, u64 end)
{
    size_t first = index_from(start);
    for (size_t i = index_from(end) + 1; i + 1 > first; i--)
        areas_join(i);
}

static void note_if_shared(const struct area *a)
{
    struct areas_versions *v = &areas_versions;
    if (!(a->flags & AREA_SHARED))
        return;
    v->shared++;
    bool first = v->shared_start >= v->shared_end;
    v->shared_start = first || a->start < v->shared_start ? a->start : v->shared_start;
    v->shared_end = first || a->end > v->shared_end ? a->end : v->shared_end;
}

static void cut_out(u64 start, u64 end)
{
    areas_split(start);
    areas_split(end);
    size_t first = index_from(start), last = first;
    for (; last < areas.count && area(last)->start < end; last++)
        note_if_shared(area(last));
    delete(first, last - first);
}

static void check_range(u64 start, u64 end)
{
    invariant(1, start < end && !(start & ~PAGE_MASK) && !(end & ~PAGE_MASK));
}

/* Checks the area at `at`, or the first above it, and the one before. */
static void check_border(u64 at)
{
    size_t i = index_from(at);
    if (i == areas.count)
        return;
    invariant(1, area(i)->start < area(i)->end);
    invariant(1, i == 0 || area(i - 1)->end <= area(i)->start);
    invariant(2, i == 0 || !areas_continues(area(i - 1), area(i)));
}

/* Checks a change at both ends of its range, where a mistake would show. */
static void check_change(u64 start, u64 end)
{
    check_border(start);
    check_border(end);
}

void areas_set(const struct area *a)
{
    areas_versions.any++;
    check_range(a->start, a->end);
    struct area copy = *a; /* `a` may point into the array */
    areas_make_room();
    cut_out(copy.start, copy.end);
    note_if_shared(&copy);
    areas_insert(index_from(copy.start), &copy);
    join_range(copy.start, copy.end);
    check_change(copy.start, copy.end);
}

/* The mapping that ended at `end` is gone, and its range joins the free range after it. */
static void forget_frontiers(u64 end)
{
    const struct area *behind = areas_from(end);
    u64 gap_end = behind ? behind->start : ~0ul;
    for (struct frontier *f = areas.frontiers; f < areas.frontiers + FRONTIERS; f++)
        for (unsigned n = 0; n < FRONTIER_SIZES; n++)
            if (f->start[n] < gap_end)
                f->start[n] = gap_end < f->high ? gap_end : f->high;
}

void areas_clear(u64 start, u64 end)
{
    areas_versions.any++;
    check_range(start, end);
    areas_make_room();
    cut_out(start, end);
    check_change(start, end);
    forget_frontiers(end);
}

static void change_protection(struct area *a, u32 protection)
{
    a->protection = protection;
    note_if_shared(a);
}

void areas_protect(u64 start, u64 end, u32 protection)
{
    areas_versions.any++;
    check_range(start, end);
    areas_make_room();
    areas_split(start);
    areas_split(end);
    for (size_t i = index_from(start); i < areas.count && area(i)->start < end; i++)
        change_protection(area(i), protection);
    join_range(start, end);
    check_change(start, end);
}

void areas_mark(u64 start, u64 end, u32 set, u32 clear)
{
    areas_versions.any++;
    check_range(start, end);
    areas_make_room();
    areas_split(start);
    areas_split(end);
    for (size_t i = index_from(start); i < areas.count && area(i)->start < end; i++)
        area(i)->flags = (area(i)->flags & ~clear) | set;
    join_range(start, end);
    check_change(start, end);
}

bool areas_any(u64 start, u64 end, u32 flag)
{
    for (const struct area *a = areas_from(start); a && a->start < end; a = areas_from(a->end))
        if (a->flags & flag)
            return true;
    return false;
}

bool areas_cover(u64 start, u64 end)
{
    for (size_t i = index_from(start); start < end; i++) {
        if (i == areas.count || area(i)->start > start)
            return false;
        start = area(i)->end;
    }
    return true;
}

bool areas_any_executable(u64 start, u64 end)
{
    for (size_t i = index_from(start); i < areas.count && area(i)->start < end; i++)
        if (area(i)->protection & PROT_EXEC)
            return true;
    return false;
}

void areas_reserve(u64 start, u64 end)
{
    if (start >= end || areas.reserved_count == RESERVED_MOST)
        return;
    size_t i = areas.reserved_count++;
    for (; i > 0 && areas.reserved[i - 1].start > start; i--)
        areas.reserved[i] = areas.reserved[i - 1];
    areas.reserved[i] = (struct reserved_range){start, end};
}

bool areas_reserved(u64 start, u64 end)
{
    for (size_t i = 0; i < areas.reserved_count; i++)
        if (areas.reserved[i].start < end && start < areas.reserved[i].end)
            return true;
    return false;
}

u64 areas_unreserved_end(u64 at, u64 most)
{
    for (size_t i = 0; i < areas.reserved_count; i++)
        if (areas.reserved[i].end > at && areas.reserved[i].start < most)
            return areas.reserved[i].start > at ? areas.reserved[i].start : at;
    return most;
}

u64 areas_reserved_end(u64 at)
{
    for (size_t i = 0; i < areas.reserved_count; i++)
        if (areas.reserved[i].start <= at && at < areas.reserved[i].end)
            at = areas.reserved[i].end;
    return at;
}

bool areas_free(u64 start, u64 end)
{
    const struct area *a = areas_from(start);
    return (!a || a->start >= end) && !areas_reserved(start, end);
}

/* Finds the highest or lowest area that overlaps [start, end). */
static bool obstacle(u64 start, u64 end, bool highest, struct reserved_range *ret)
{
    struct reserved_range found = {~0ul, 0};
    size_t i = highest ? index_from(end - 1) : index_from(start);
    if (highest && (i == areas.count || area(i)->start >= end))
        i--; /* wraps if there is none below */
    if (i < areas.count && area(i)->start < end && area(i)->end > start)
        found = (struct reserved_range){area(i)->start, area(i)->end};
    for (size_t r = 0; r < areas.reserved_count; r++) {
        if (areas.reserved[r].start >= end || areas.reserved[r].end <= start)
            continue;
        if (!found.end || (highest ? areas.reserved[r].end > found.end
                                   : areas.reserved[r].start < found.start))
            found = areas.reserved[r];
    }
    *ret = found;
    return found.end != 0;
}

static u64 gap_upward(u64 low, u64 high, u64 size, u64 alignment)
{
    struct reserved_range taken;
    u64 at = low;
    for (;;) {
        at = (at + alignment - 1) & ~(alignment - 1);
        if (at < low || at > high || high - at < size)
            return 0;
        if (!obstacle(at, at + size, false, &taken))
            return at;
        at = taken.end;
    }
}

static struct frontier *frontier_of(u64 high)
{
    for (unsigned i = 0; i < FRONTIERS; i++)
        if (areas.frontiers[i].high == high)
            return &areas.frontiers[i];
    struct frontier *f = &areas.frontiers[areas.next_frontier++ % FRONTIERS];
    f->high = high;
    for (unsigned n = 0; n < FRONTIER_SIZES; n++)
        f->start[n] = high;
    return f;
}

/* Returns the largest n for which the size has 2^n pages. */
static unsigned size_class(u64 size)
{
    unsigned n = 0;
    while (n + 1 < FRONTIER_SIZES && size >= PAGE_SIZE << (n + 1))
        n++;
    return n;
}

static u64 gap_downward(u64 low, u64 high, u64 size, u64 alignment)
{
    unsigned class = size_class(size);
    u64 *frontier = &frontier_of(high)->start[class];
    struct reserved_range taken;
    high = *frontier;
    for (;;) {
        if (high < low || high - low < size)
            return 0;
        u64 at = (high - size) & ~(alignment - 1);
        if (at < low)
            return 0;
        if (!obstacle(at, at + size, true, &taken))
            return at;
        bool small = taken.end >= high || high - taken.end < PAGE_SIZE << class;
        if (high == *frontier && small)
            *frontier = taken.start;
        high = taken.start;
    }
}

u64 areas_gap(u64 low, u64 high, u64 size, u64 alignment, bool upward)
{
    if (!size)
        return 0;
    if (alignment < PAGE_SIZE)
        alignment = PAGE_SIZE;
    return upward ? gap_upward(low, high, size, alignment)
                  : gap_downward(low, high, size, alignment);
}

u64 areas_fetchable(u64 at, u64 most)
{
    size_t i = index_from(at);
    u64 end = at;
    for (; end - at < most; i++) {
        if (i == areas.count || area(i)->start > end || !(area(i)->protection & PROT_EXEC))
            break;
        end = area(i)->end;
    }
    return end - at < most ? end - at : most;
}
