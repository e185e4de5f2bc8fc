/* The areas against a model: a few hundred pages, each with its own attributes.
 *
 * unit: src/engine/memory/areas.c
 *
 * Thousands of random changes are made to both; after each, every question is asked of both.
 * Then a few that chance would seldom find.  Usage: areas [CHANGES [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/memory/areas.h"

enum { PAGES = 200, FIRST = 16, DEVICES = 2 };

struct page {
    bool mapped, reserved;
    u32 protection, flags;
    u64 device, offset;
};

static struct page model[PAGES];
static u64 seed, state;
static unsigned long done;

/* What areas.c needs of the engine. */

void *pool_map(size_t size, size_t alignment)
{
    void *piece = NULL;
    if (posix_memalign(&piece, alignment, size))
        abort();
    return memset(piece, 0xee, size);
}

void pool_unmap(void *piece, size_t size)
{
    (void)size;
    free(piece);
}

void assertion_failed(const struct assertion *a)
{
    printf("FAIL areas: %s (%s:%u), change %lu of seed %lu\n", a->condition, a->file, a->line, done,
           (unsigned long)seed);
    exit(1);
}

#define CHECK(condition) assert(condition)

static u64 draw(u64 below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static u64 address(unsigned page)
{
    return (u64)(FIRST + page) * PAGE_SIZE;
}

/* Changes */

static void set(unsigned from, unsigned to)
{
    struct area a = {.start = address(from), .end = address(to)};
    a.protection = (u32)draw(8);
    a.flags = draw(2) ? AREA_FILE : draw(4) ? 0 : AREA_BRK;
    if (a.flags & AREA_FILE) {
        a.device = draw(DEVICES);
        a.offset = draw(2) ? address(from) : draw(4) * PAGE_SIZE;
    }
    areas_set(&a);
    for (unsigned i = from; i < to; i++) {
        u64 offset = a.flags & AREA_FILE ? a.offset + (address(i) - a.start) : 0;
        model[i] = (struct page){true, model[i].reserved, a.protection, a.flags, a.device, offset};
    }
}

static void clear(unsigned from, unsigned to)
{
    areas_clear(address(from), address(to));
    for (unsigned i = from; i < to; i++)
        model[i].mapped = false;
}

static void protect(unsigned from, unsigned to)
{
    u32 protection = (u32)draw(8);
    areas_protect(address(from), address(to), protection);
    for (unsigned i = from; i < to; i++)
        model[i].protection = protection;
}

static void change(void)
{
    unsigned from = (unsigned)draw(PAGES), most = draw(4) ? 8 : PAGES;
    unsigned to = from + 1 + (unsigned)draw(most);
    if (to > PAGES)
        to = PAGES;
    switch (draw(4)) {
    case 0:  clear(from, to); break;
    case 1:  protect(from, to); break;
    default: set(from, to); break;
    }
}

/* Questions */

static void check_pages(void)
{
    for (unsigned i = 0; i < PAGES; i++) {
        u64 at = address(i) + draw(PAGE_SIZE);
        const struct area *a = areas_find(at);
        CHECK(!!a == model[i].mapped);
        if (!a)
            continue;
        CHECK(a->start <= at && at < a->end);
        CHECK(a->protection == model[i].protection && a->flags == model[i].flags);
        if (a->flags & AREA_FILE)
            CHECK(a->device == model[i].device &&
                  a->offset + (address(i) - a->start) == model[i].offset);
    }
}

static bool alike(const struct area *a, const struct area *b)
{
    bool same = a->protection == b->protection && a->flags == b->flags;
    if (a->flags & AREA_FILE)
        same = same && a->device == b->device && a->offset + (a->end - a->start) == b->offset;
    return same;
}

static void check_order(void)
{
    const struct area *before = NULL;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        CHECK(a->start < a->end);
        if (before) {
            CHECK(before->end <= a->start);
            CHECK(before->end < a->start || !alike(before, a));
        }
        before = a;
    }
}

static void check_ranges(void)
{
    unsigned from = (unsigned)draw(PAGES), to = from + 1 + (unsigned)draw(PAGES - from);
    bool cover = true, empty = true, executable = false;
    for (unsigned i = from; i < to; i++) {
        cover = cover && model[i].mapped;
        empty = empty && !model[i].mapped && !model[i].reserved;
        executable = executable || (model[i].mapped && (model[i].protection & PROT_EXEC));
    }
    CHECK(areas_cover(address(from), address(to)) == cover);
    CHECK(areas_free(address(from), address(to)) == empty);
    CHECK(areas_any_executable(address(from), address(to)) == executable);

    u64 at = address(from) + draw(PAGE_SIZE), most = 1 + draw(3 * PAGE_SIZE), bytes = 0;
    for (unsigned i = from; i < PAGES && model[i].mapped && (model[i].protection & PROT_EXEC); i++)
        bytes = address(i + 1) - at;
    CHECK(areas_fetchable(at, most) == (bytes < most ? bytes : most));
}

static bool fits(unsigned page, unsigned pages)
{
    for (unsigned i = page; i < page + pages; i++)
        if (model[i].mapped || model[i].reserved)
            return false;
    return true;
}

static void check_gap(void)
{
    unsigned low = (unsigned)draw(PAGES), high = low + (unsigned)draw(PAGES - low) + 1;
    unsigned pages = 1 + (unsigned)draw(draw(2) ? 3 : 20), step = 1u << draw(4);
    bool upward = draw(2);
    if (draw(3) == 0)
        low = 0, high = PAGES; /* often the same end, as in life */
    u64 wanted = 0;
    for (unsigned i = low; i + pages <= high; i++) {
        if ((FIRST + i) % step || !fits(i, pages))
            continue;
        wanted = address(i);
        if (upward)
            break;
    }
    u64 got = areas_gap(address(low), address(high), pages * PAGE_SIZE, step * PAGE_SIZE, upward);
    CHECK(got == wanted);
}

static void check_everything(void)
{
    check_pages();
    check_order();
    for (int i = 0; i < 8; i++) {
        check_ranges();
        check_gap();
    }
}

/* Tens of thousands of areas, under a hole that fits none: the array grows, and a gap is still
 * found fast. */
static void check_many(void)
{
    enum { MANY = 70000 };
    const u64 low = 1ul << 32, high = 1ul << 40, top = high - 2 * PAGE_SIZE;
    areas_clear(address(0), address(PAGES));
    struct area first = {.start = top, .end = top + PAGE_SIZE};
    areas_set(&first);
    for (unsigned i = 0; i < MANY; i++) {
        u64 at = areas_gap(low, high, 2 * PAGE_SIZE, PAGE_SIZE, false);
        CHECK(at == top - 2 * (i + 1) * PAGE_SIZE);
        struct area a = {.start = at, .end = at + 2 * PAGE_SIZE, .protection = PROT_READ};
        areas_set(&a);
        areas_protect(at, at + PAGE_SIZE, PROT_NONE);
    }
    u64 hole = top - 1000 * PAGE_SIZE;
    areas_clear(hole, hole + PAGE_SIZE);
    CHECK(areas_gap(low, high, PAGE_SIZE, PAGE_SIZE, false) == high - PAGE_SIZE);
    CHECK(areas_gap(low, top, PAGE_SIZE, PAGE_SIZE, false) == hole);
    areas_clear(hole - PAGE_SIZE, hole);
    CHECK(areas_gap(low, high, 2 * PAGE_SIZE, PAGE_SIZE, false) == hole - PAGE_SIZE);
    CHECK(areas_cover(hole + PAGE_SIZE, top) && !areas_cover(hole, top));
}

int main(int argc, char **argv)
{
    unsigned long changes = argc > 1 ? strtoul(argv[1], NULL, 0) : 5000;
    seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 20240607;
    state = seed * 2 + 1;
    areas_reserve(address(90), address(93));
    areas_reserve(address(20), address(21));
    for (unsigned i = 0; i < PAGES; i++)
        model[i].reserved = (i >= 90 && i < 93) || i == 20;
    for (done = 0; done < changes; done++) {
        change();
        check_everything();
    }
    printf("ok areas: %lu changes, seed %lu\n", changes, (unsigned long)seed);
    check_many();
    printf("ok areas: tens of thousands\n");
    return 0;
}
