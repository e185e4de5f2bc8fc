/* Chooses the addresses of the guest's mappings.
 *
 * The choice depends only on the areas, so the same program gets the same addresses each time. If
 * the kernel has something at a place that looks free (for instance a guest stack that has grown),
 * it is added to the areas and another place is chosen.
 */
#include "engine/memory/mapping.h"

#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/memory/address.h"
#include "engine/memory/kernel_maps.h"

/* Places downward from the end of a range, so that a heap after a low-linked program has room to
 * grow. */
static u64 place_in(const struct layout_range ranges[LAYOUT_RANGES], u64 size, u64 alignment)
{
    for (unsigned i = 0; i < LAYOUT_RANGES && ranges[i].end; i++) {
        u64 at = areas_gap(ranges[i].first, ranges[i].end, size, alignment, false);
        if (at)
            return at;
    }
    return 0;
}

static u64 place_mapping(u64 size, u64 alignment)
{
    u64 at = areas_gap(LAYOUT_MAPPINGS_FIRST, layout.mappings_end, size, alignment, false);
    if (!at) /* 14 TiB are used up, or requested at once */
        at = areas_gap(layout.heap_end, LAYOUT_POOLS, size, alignment, false);
    if (!at)
        at = areas_gap(0x100000000, layout.heap, size, alignment, false);
    return at;
}

u64 address_place(enum mapping_place kind, u64 size, u64 alignment)
{
    if (size > LAYOUT_USER_END || alignment > LAYOUT_USER_END)
        return 0;
    if (kind == PLACE_32BIT)
        return place_in(layout.low, size, alignment);
    u64 at = kind == PLACE_IMAGE ? place_in(layout.images, size, alignment) : 0;
    return at ? at : place_mapping(size, alignment);
}

u64 address_place_image(u64 size, u64 alignment)
{
    return address_place(PLACE_IMAGE, size, alignment);
}

bool address_refused(u64 start, u64 size)
{
    if (start >= LAYOUT_USER_END || size > LAYOUT_USER_END - start)
        return true;
    return areas_reserved(start, start + size) || pool_owns(start, start + size);
}

struct unknown {
    u64 start, end;
    bool grown; /* the range extends `area` downward */
    struct area area;
};

/* Finds the first range in the kernel's list that the areas lack, within the bounds. */
static bool find_unknown(void *context, const struct kernel_mapping *m)
{
    struct unknown *u = context;
    if (m->end <= u->start || m->start >= u->end)
        return true;
    for (u64 at = m->start; at < m->end;) {
        const struct area *a = areas_from(at);
        u64 known = a && a->start < m->end ? a->start : m->end;
        if (known > at && !areas_reserved(at, known)) {
            u->grown = a && a->start == known && known < m->end && (a->flags & AREA_GROWSDOWN);
            if (u->grown)
                u->area = *a;
            u->start = at;
            u->end = known;
            return false;
        }
        at = a && a->start == known ? a->end : m->end;
    }
    return true;
}

void address_learn(u64 start, u64 end)
{
    struct unknown u = {.start = start, .end = end};
    kernel_maps_each(find_unknown, &u);
    if (u.grown) {
        u.area.start = u.start;
        areas_set(&u.area);
    } else {
        areas_reserve(u.start, u.end); /* the whole range, if nothing was found */
    }
}

/* Finds a hole in the kernel's mappings, within bounds. */
struct hole {
    u64 start, end; /* the bounds, then the hole */
    u64 covered;    /* no gap below this address */
};

static bool find_hole(void *context, const struct kernel_mapping *m)
{
    struct hole *h = context;
    if (m->end <= h->covered)
        return true;
    if (m->start > h->covered) {
        h->start = h->covered;
        if (m->start < h->end)
            h->end = m->start;
        return false;
    }
    h->covered = m->end;
    return m->end < h->end;
}

void address_recheck(u64 start, u64 end)
{
    while (start < end) {
        struct hole h = {start, end, start};
        if (kernel_maps_each(find_hole, &h) || h.covered >= h.end)
            return;
        areas_clear(h.covered, h.end);
        start = h.end;
    }
}
