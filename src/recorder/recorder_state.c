/* Converts a snapshot from the form that an engine writes to the form that is stored: see the
 * header.
 *
 * An engine writes the pages that have changed since its last snapshot (PAGES), and lists those
 * that have not changed (SAME, UNWRITTEN). All become PAGES here, with consecutive numbers;
 * adjacent runs are joined. A page that has not changed has the same place as in the last snapshot.
 *
 * The program may have overwritten the engine's memory, so all input is checked.
 */
#include "recorder/recorder_state_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "log/snapshot_state.h"

struct state_maker {
    const u8 *raw;
    u64 raw_pages;
    const struct stored_state *base;
    struct recorder_pages *store;
    struct stored_state *ret;
    u64 room; /* allocated size of ret->bytes */
    u64 run;  /* offset of the last PAGES in ret->bytes, if there is one */
    bool any_run;
    u64 page_room, unwritten_room;
};

static struct error *state_malformed(void)
{
    return error_new("a snapshot is not what its process says");
}

static void *state_grown(void *bytes, u64 used, u64 *room, u64 wanted)
{
    if (wanted <= *room)
        return bytes;
    u64 more = 2 * wanted;
    void *ret = xalloc(more);
    if (used)
        memcpy(ret, bytes, used);
    free(bytes);
    *room = more;
    return ret;
}

static void *state_append(struct state_maker *m, const void *record, u64 size)
{
    struct stored_state *s = m->ret;
    s->bytes = state_grown(s->bytes, s->size, &m->room, s->size + size);
    void *at = s->bytes + s->size;
    memcpy(at, record, size);
    s->size += size;
    return at;
}

/* Adds the next page of the snapshot. */
static void state_add_page(struct state_maker *m, u64 address, u32 copy, struct page_place place)
{
    struct stored_state *s = m->ret;
    struct snapshot_pages *run = m->any_run ? (struct snapshot_pages *)(s->bytes + m->run) : NULL;
    if (!run || run->copy != copy || run->address + run->count * SNAPSHOT_PAGE != address) {
        struct snapshot_pages new = {.record = {SNAPSHOT_PAGES, sizeof new}, .address = address,
                                     .first = s->pages, .copy = copy};
        run = state_append(m, &new, sizeof new);
        m->run = (u64)((u8 *)run - s->bytes);
        m->any_run = true;
    }
    run->count++;
    if (s->pages == m->page_room) {
        u64 used = s->pages * sizeof(u64), room = m->page_room * sizeof(u64);
        s->addresses = state_grown(s->addresses, used, &room, room + 1024 * sizeof(u64));
        room = m->page_room * sizeof(u64);
        s->places = state_grown(s->places, used, &room, room + 1024 * sizeof(u64));
        m->page_room = room / sizeof(u64);
    }
    s->places[s->pages] = place;
    s->addresses[s->pages++] = copy ? ~0ull : address;
}
_Static_assert(sizeof(struct page_place) == sizeof(u64), "they grow alike");

static struct error *state_new_pages(struct state_maker *m, const struct snapshot_pages *run)
{
    if (run->first > m->raw_pages || run->count > m->raw_pages - run->first)
        return state_malformed();
    for (u64 n = 0; n < run->count; n++) {
        struct page_place place;
        struct error *err =
            recorder_pages_put(m->store, m->raw + (run->first + n) * SNAPSHOT_PAGE, &place);
        if (err)
            return err;
        state_add_page(m, run->address + n * SNAPSHOT_PAGE, run->copy, place);
    }
    return NULL;
}

/* Returns the first page of the base at this address or above. Addresses rise; pages of copies come
 * last. */
static u64 base_page(const struct stored_state *base, u64 address)
{
    u64 low = 0, high = base->pages;
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (base->addresses[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Pages that the base does not have were zeros, and still are. */
static struct error *state_same_pages(struct state_maker *m, const struct snapshot_pages *run)
{
    const struct stored_state *base = m->base;
    u64 end = run->address + run->count * SNAPSHOT_PAGE;
    if (!base || run->copy || run->count > ~0ull / SNAPSHOT_PAGE || end < run->address)
        return state_malformed();
    for (u64 n = base_page(base, run->address); n < base->pages && base->addresses[n] < end; n++)
        state_add_page(m, base->addresses[n], 0, base->places[n]);
    return NULL;
}

/* Joins adjacent runs: they end where mappings do. */
static void state_note_unwritten(struct state_maker *m, const struct snapshot_pages *run)
{
    struct stored_state *s = m->ret;
    u64 size = s->unwritten_count * sizeof *s->unwritten, end = run->address +
                                                                run->count * SNAPSHOT_PAGE;
    struct unwritten_range *last = size ? &s->unwritten[s->unwritten_count - 1] : NULL;
    if (run->address % SNAPSHOT_PAGE || (last && last->end > run->address))
        return;
    if (last && last->end == run->address) {
        last->end = end;
        return;
    }
    s->unwritten = state_grown(s->unwritten, size, &m->unwritten_room, size + sizeof *last);
    s->unwritten[s->unwritten_count++] = (struct unwritten_range){run->address, end};
}

static struct error *state_make_record(struct state_maker *m, const struct snapshot_record *r)
{
    bool unwritten = r->kind == SNAPSHOT_UNWRITTEN, same = unwritten || r->kind == SNAPSHOT_SAME;
    if ((same || r->kind == SNAPSHOT_PAGES) &&
        r->size != sizeof(struct snapshot_pages))
        return state_malformed();
    if (r->kind == SNAPSHOT_PAGES)
        return state_new_pages(m, (const struct snapshot_pages *)r);
    if (same) {
        struct error *err = state_same_pages(m, (const struct snapshot_pages *)r);
        if (!err && unwritten)
            state_note_unwritten(m, (const struct snapshot_pages *)r);
        return err;
    }
    state_append(m, r, r->size);
    return NULL;
}

static struct error *state_make_all(struct state_maker *m, const u8 *state, u64 size)
{
    struct error *err = NULL;
    for (u64 at = 0; at < size && !err;) {
        const struct snapshot_record *r = (const struct snapshot_record *)(state + at);
        if (size - at < sizeof *r || r->size < sizeof *r || r->size % 8 || r->size > size - at)
            return state_malformed();
        err = state_make_record(m, r);
        at += r->size;
    }
    return err;
}

struct error *recorder_state_make(const struct snapshot_raw *raw, const struct stored_state *base,
                                  struct recorder_pages *pages, struct stored_state *ret)
{
    size_t size = raw->state_at + raw->state_size;
    struct stored_state made = {0};
    u8 *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, raw->fd, 0);
    if (bytes == MAP_FAILED)
        return error_errno(errno, "reading a snapshot");
    struct state_maker m = {.raw = bytes, .raw_pages = raw->state_at / SNAPSHOT_PAGE, .base = base,
                            .store = pages, .ret = &made};
    struct error *err = state_make_all(&m, bytes + raw->state_at, raw->state_size);
    if (!err)
        err = recorder_pages_commit(pages);
    else
        recorder_pages_cancel(pages);
    munmap(bytes, size);
    if (err)
        recorder_state_deinit(&made);
    else
        *ret = made;
    return err;
}

void recorder_state_deinit(struct stored_state *s)
{
    free(s->bytes);
    free(s->places);
    free(s->addresses);
    free(s->unwritten);
    *s = (struct stored_state){0};
}
