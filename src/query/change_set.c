/* What changed between two moments: see change_set.h.
 *
 * An image is a copy of all readable memory at the first moment. It is compared at the second
 * moment page by page; areas that are new are only counted. memory_ranges_without() subtracts one
 * list of ranges from another: callers use it to find bytes that no variable explains.
 */
#include "query/change_set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "query/subject.h"

enum { IMAGE_CHUNK = 1 << 20, IMAGE_PAGE = 4096, FILE_LARGE = 16 << 20 };

static struct error *image_stopped(bool (*stopped)(void))
{
    return stopped && stopped() ? error_coded(ERROR_INTERRUPTED, "interrupted") : NULL;
}

static bool image_is_wanted(const struct control_area *a)
{
    bool fixed = a->flags & CONTROL_AREA_FILE && !(a->protection & PROT_WRITE);
    return a->protection & PROT_READ && strcmp(a->path, "[vdso]") != 0 &&
           strcmp(a->path, "[vvar]") != 0 &&
           !(fixed && (a->protection & PROT_EXEC || a->end - a->start > FILE_LARGE));
}

/* Reads as much as can be read, from the start on. */
static struct error *image_read(struct session *s, u64 start, u64 end, u8 *to,
                                bool (*stopped)(void), u64 *ret)
{
    struct error *err = NULL;
    *ret = 0;
    while (!err && start + *ret < end) {
        size_t part = end - start - *ret < IMAGE_CHUNK ? end - start - *ret : IMAGE_CHUNK, got = 0;
        err = image_stopped(stopped);
        if (!err)
            err = session_read(s, start + *ret, to + *ret, part, &got);
        *ret += got;
        if (got < part)
            break;
    }
    return err;
}

static struct error *image_add(struct session *s, const struct control_area *a,
                               bool (*stopped)(void), struct memory_image *m)
{
    u64 got;
    struct image_area *area = list_add(&m->areas);
    area->start = area->end = a->start;
    area->bytes = malloc(a->end - a->start);
    if (!area->bytes)
        return error_coded(ERROR_NO_MEMORY,
                           "there is not enough memory to keep that of the program");
    struct error *err = image_read(s, a->start, a->end, area->bytes, stopped, &got);
    area->end += err ? 0 : got;
    return err;
}

struct error *memory_image_take(struct session *s, u64 most, bool (*stopped)(void),
                                struct memory_image *ret)
{
    struct control_area *areas;
    size_t count;
    u64 sum = 0;
    *ret = (struct memory_image){.areas = LIST(struct image_area)};
    struct error *err = session_areas(s, &areas, &count);
    if (err)
        return err;
    for (size_t n = 0; n < count && !err; n++) {
        u64 size = areas[n].end - areas[n].start;
        if (!image_is_wanted(&areas[n]))
            continue;
        if (size > most - sum) {
            ret->left_out += size;
            continue;
        }
        sum += size;
        err = image_add(s, &areas[n], stopped, ret);
    }
    free(areas);
    if (err)
        memory_image_deinit(ret);
    return err;
}

void memory_image_deinit(struct memory_image *m)
{
    struct image_area *all = m->areas.items;
    for (size_t n = 0; n < m->areas.count; n++)
        free(all[n].bytes);
    list_deinit(&m->areas);
}

static void difference_note(struct memory_difference *d, u64 address)
{
    struct memory_range *last =
        d->ranges.count ? (struct memory_range *)d->ranges.items + d->ranges.count - 1 : NULL;
    d->bytes++;
    if (last && last->end == address)
        last->end++;
    else
        *(struct memory_range *)list_add(&d->ranges) = (struct memory_range){address, address + 1};
}

static void difference_of(struct memory_difference *d, u64 address, const u8 *old, const u8 *new,
                          size_t size)
{
    enum { STEP = 256 };
    for (size_t at = 0; at < size; at += STEP) {
        size_t part = size - at < STEP ? size - at : STEP;
        if (memcmp(old + at, new + at, part) == 0)
            continue;
        for (size_t n = at; n < at + part; n++)
            if (old[n] != new[n])
                difference_note(d, address + n);
    }
}

/* Compares page by page, because some pages may be unreadable. */
static struct error *difference_of_area(const struct image_area *a, struct session *s,
                                        bool (*stopped)(void), u8 *room,
                                        struct memory_difference *d)
{
    struct error *err = NULL;
    for (u64 at = a->start; at < a->end && !err;) {
        size_t part = a->end - at < IMAGE_CHUNK ? a->end - at : IMAGE_CHUNK, got = 0;
        err = image_stopped(stopped);
        if (!err)
            err = session_read(s, at, room, part, &got);
        if (err)
            break;
        difference_of(d, at, a->bytes + (at - a->start), room, got);
        at += got;
        if (got == part)
            continue;
        u64 next = (at / IMAGE_PAGE + 1) * IMAGE_PAGE;
        next = next < a->end ? next : a->end;
        d->gone += next - at;
        at = next;
    }
    return err;
}

/* Counts bytes that are readable now and were not before. */
static struct error *difference_new(const struct memory_image *m, struct session *s,
                                    struct memory_difference *d)
{
    struct control_area *areas;
    size_t count;
    struct list now = LIST(struct memory_range), before = LIST(struct memory_range);
    const struct image_area *kept = m->areas.items;
    struct error *err = session_areas(s, &areas, &count);
    if (err)
        return err;
    for (size_t n = 0; n < count; n++)
        if (image_is_wanted(&areas[n]))
            *(struct memory_range *)list_add(&now) =
                (struct memory_range){areas[n].start, areas[n].end};
    for (size_t n = 0; n < m->areas.count; n++)
        *(struct memory_range *)list_add(&before) =
            (struct memory_range){kept[n].start, kept[n].end};
    struct list new = memory_ranges_without(&now, &before);
    const struct memory_range *r = new.items;
    for (size_t n = 0; n < new.count; n++)
        d->new += r[n].end - r[n].start;
    d->new = d->new > m->left_out ? d->new - m->left_out : 0;
    list_deinit(&now);
    list_deinit(&before);
    list_deinit(&new);
    free(areas);
    return NULL;
}

struct error *memory_image_compare(const struct memory_image *m, struct session *s,
                                   bool (*stopped)(void), struct memory_difference *ret)
{
    struct error *err = NULL;
    const struct image_area *all = m->areas.items;
    u8 *room = xalloc(IMAGE_CHUNK);
    *ret = (struct memory_difference){.ranges = LIST(struct memory_range)};
    for (size_t n = 0; n < m->areas.count && !err; n++)
        err = difference_of_area(&all[n], s, stopped, room, ret);
    if (!err)
        err = difference_new(m, s, ret);
    free(room);
    if (err)
        memory_difference_deinit(ret);
    return err;
}

void memory_difference_deinit(struct memory_difference *d)
{
    list_deinit(&d->ranges);
}

static int ranges_by_start(const void *a, const void *b)
{
    u64 left = ((const struct memory_range *)a)->start,
        right = ((const struct memory_range *)b)->start;
    return left < right ? -1 : left > right;
}

struct list memory_ranges_without(const struct list *ranges, struct list *without)
{
    struct list ret = LIST(struct memory_range);
    const struct memory_range *r = ranges->items, *w = without->items;
    size_t next = 0;
    u64 covered = 0; /* everything below is covered or lies before the range */
    if (without->count)
        qsort(without->items, without->count, sizeof *w, ranges_by_start);
    for (size_t n = 0; n < ranges->count; n++) {
        u64 at = r[n].start > covered ? r[n].start : covered;
        while (at < r[n].end) {
            while (next < without->count && w[next].start <= at) {
                covered = w[next].end > covered ? w[next].end : covered;
                next++;
            }
            if (covered > at) {
                at = covered;
                continue;
            }
            u64 end = next < without->count && w[next].start < r[n].end ? w[next].start : r[n].end;
            *(struct memory_range *)list_add(&ret) = (struct memory_range){at, end};
            at = end;
        }
    }
    return ret;
}

/* --- who made it ------------------------------------------------------------------------------ */

struct last_changes {
    struct place_change *changes;
    size_t count;
    struct list sites;     /* struct plan_site */
    struct list owners;    /* size_t: whose the sites are */
};

static struct error *lay_places(void *context, struct moment at, struct session_sites *ret)
{
    struct last_changes *l = context;
    (void)at;
    l->sites.count = l->owners.count = 0;
    for (size_t n = 0; n < l->count; n++) {
        const struct value_place *p = &l->changes[n].place;
        if (l->changes[n].found)
            continue;
        *(size_t *)list_add(&l->owners) = n;
        *(struct plan_site *)list_add(&l->sites) =
            (struct plan_site){.kind = SITE_STORE, .address = p->address, .size = p->size,
                               .not_first = p->not_first, .not_last = p->not_last,
                               .thread = CONTROL_THREAD_ANY};
    }
    *ret = (struct session_sites){.sites = l->sites.items, .count = l->sites.count,
                                  .enough = !l->sites.count};
    return NULL;
}

/* Within a part the last one counts. */
static bool take_places(void *context, const struct plan_hit *hits, size_t count)
{
    struct last_changes *l = context;
    for (size_t n = 0; n < count; n++) {
        struct place_change *c = &l->changes[((size_t *)l->owners.items)[hits[n].site]];
        c->found = true;
        c->at = (struct moment){hits[n].tick, hits[n].pc};
        c->thread = hits[n].thread;
    }
    return true;
}

static bool end_places(void *context, struct moment from, struct moment to)
{
    const struct last_changes *l = context;
    (void)from;
    (void)to;
    for (size_t n = 0; n < l->count; n++)
        if (!l->changes[n].found)
            return true;
    return false;
}

struct error *places_changed_last(struct session *s, struct moment from, struct moment to,
                                  struct place_change *changes, size_t count,
                                  bool *ret_interrupted)
{
    struct last_changes l = {.changes = changes, .count = count, .sites = LIST(struct plan_site),
                             .owners = LIST(size_t)};
    struct session_trace t = {.from = from, .to = to, .direction = BACKWARD, .lay = lay_places,
                              .take = take_places, .part = end_places, .context = &l};
    struct error *err = count ? session_trace(s, &t, ret_interrupted) : NULL;
    list_deinit(&l.sites);
    list_deinit(&l.owners);
    return err;
}

struct error *frame_lives_on(struct session *s, u32 thread, u64 cfa, u64 return_pc,
                             struct moment from, struct moment to, bool *ret, bool *ret_interrupted)
{
    struct subject frame = {
        .session = s, .thread = thread, .uses = VALUES_FRAME, .cfa = cfa, .return_pc = return_pc};
    struct moment end;
    bool ended = false;
    *ret_interrupted = false;
    struct error *err =
        return_pc ? subject_frame_end(&frame, from, to, &ended, &end, ret_interrupted) : NULL;
    *ret = !ended;
    return err;
}
