/* Pages of all snapshots of a recording: see the header.
 *
 * A content is found by its hash, in a table with open addressing, and then compared byte by byte
 * with the page in its file, or with its source if the file is not written yet. Slots of the table
 * whose page is gone are skipped, and dropped when the table grows.
 *
 * Invariants
 *   (1) A reference is released only if it was held.
 */
#include "recorder/recorder_pages_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "log/content_hash.h"
#include "log/snapshot_state.h"

enum {
    UNUSED_SHARE = 4, /* a file is shrunk if one page in this many is unused */
    SLOTS_FIRST = 4096,
};

struct kept_page {
    u64 hash;
    u32 refs;
    bool gone; /* left out of its file */
};

struct kept_pages {    /* the pages of one file */
    struct list pages; /* struct kept_page, by number; none: the file is gone */
    u64 bytes;         /* size of the file */
    u64 gone, unused;  /* pages that were removed; pages without references that are still there */
};

struct recorder_pages {
    const struct recording *rec;
    struct list files; /* struct kept_pages; number K is at K - 1 */
    u64 bytes;
    struct page_place *slots; /* file 0: free */
    u64 slot_count, used;
    struct page_writer *writer; /* writes the last file, which is not complete yet */
    struct list sources;        /* const u8 *: where its pages came from */
    u32 open_file;              /* the file that the reader has open; 0: none */
    struct page_reader *reader;
};

struct recorder_pages *recorder_pages_create(const struct recording *rec)
{
    struct recorder_pages *p = xalloc(sizeof *p);
    *p = (struct recorder_pages){.rec = rec, .files = LIST(struct kept_pages),
                                 .sources = LIST(const u8 *), .slot_count = SLOTS_FIRST};
    p->slots = xalloc(p->slot_count * sizeof *p->slots);
    memset(p->slots, 0, p->slot_count * sizeof *p->slots);
    return p;
}

static void kept_pages_deinit(struct kept_pages *f)
{
    list_deinit(&f->pages);
    f->bytes = f->gone = f->unused = 0;
}

void recorder_pages_destroy(struct recorder_pages *p)
{
    for (size_t n = 0; n < p->files.count; n++)
        kept_pages_deinit(&((struct kept_pages *)p->files.items)[n]);
    page_writer_destroy(p->writer);
    page_reader_close(p->reader);
    list_deinit(&p->files);
    list_deinit(&p->sources);
    free(p->slots);
    free(p);
}

u64 recorder_pages_bytes(const struct recorder_pages *p)
{
    return p->bytes;
}

static struct kept_pages *kept_file(const struct recorder_pages *p, u32 file)
{
    return &((struct kept_pages *)p->files.items)[file - 1];
}

/* NULL: it is gone. */
static struct kept_page *kept_page_at(const struct recorder_pages *p, struct page_place at)
{
    struct kept_pages *f = kept_file(p, at.file);
    struct kept_page *page = (struct kept_page *)f->pages.items + at.number;
    return at.number < f->pages.count && !page->gone ? page : NULL;
}

/* --- finding -------------------------------------------------------------------------------- */

static void enter_slot(struct recorder_pages *p, u64 hash, struct page_place at)
{
    u64 slot = hash & (p->slot_count - 1);
    while (p->slots[slot].file)
        slot = (slot + 1) & (p->slot_count - 1);
    p->slots[slot] = at;
    p->used++;
}

static void grow_slots(struct recorder_pages *p)
{
    struct page_place *before = p->slots;
    u64 count = p->slot_count;
    if (2 * (p->used + 1) <= count)
        return;
    p->slot_count = 2 * count;
    p->slots = xalloc(p->slot_count * sizeof *p->slots);
    memset(p->slots, 0, p->slot_count * sizeof *p->slots);
    p->used = 0;
    for (u64 n = 0; n < count; n++) {
        const struct kept_page *page = before[n].file ? kept_page_at(p, before[n]) : NULL;
        if (page)
            enter_slot(p, page->hash, before[n]);
    }
    free(before);
}

static struct error *open_page_file(struct recorder_pages *p, u32 file)
{
    if (p->open_file == file)
        return NULL;
    char *name = page_file_name(file);
    page_reader_close(p->reader);
    p->reader = NULL;
    p->open_file = 0;
    int fd = openat(p->rec->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct error *err = fd < 0 ? error_errno(errno, "opening %s", name)
                               : page_reader_open(fd, 0, p->rec->meta.id, file, &p->reader);
    free(name);
    if (!err)
        p->open_file = file;
    return err;
}

static bool has_content(struct recorder_pages *p, struct page_place at, const u8 *page)
{
    const u8 *frame = NULL;
    if (p->writer && at.file == p->files.count)
        return memcmp(((const u8 **)p->sources.items)[at.number], page, SNAPSHOT_PAGE) == 0;
    struct error *err = open_page_file(p, at.file);
    if (!err)
        err = page_reader_frame(p->reader, at.number, &frame);
    bool same = !err && memcmp(frame + at.number % PAGE_FILE_FRAME * SNAPSHOT_PAGE, page,
                               SNAPSHOT_PAGE) == 0;
    error_destroy(err); /* then the page is stored again */
    return same;
}

static bool pages_find_content(struct recorder_pages *p, u64 hash, const u8 *page,
                         struct page_place *ret)
{
    u64 mask = p->slot_count - 1;
    for (u64 slot = hash & mask; p->slots[slot].file; slot = (slot + 1) & mask) {
        const struct kept_page *kept = kept_page_at(p, p->slots[slot]);
        if (!kept || kept->hash != hash || !has_content(p, p->slots[slot], page))
            continue;
        *ret = p->slots[slot];
        return true;
    }
    return false;
}

/* --- adding --------------------------------------------------------------------------------- */

static bool content_is_zero(const u8 *page)
{
    return page[0] == 0 && memcmp(page, page + 1, SNAPSHOT_PAGE - 1) == 0;
}

static struct error *begin_page_file(struct recorder_pages *p)
{
    u32 file = (u32)p->files.count + 1;
    struct error *err = page_writer_create(p->rec->dir, p->rec->meta.id, file, &p->writer);
    if (err)
        return err;
    *(struct kept_pages *)list_add(&p->files) =
        (struct kept_pages){.pages = LIST(struct kept_page)};
    p->sources.count = 0;
    return NULL;
}

struct error *recorder_pages_put(struct recorder_pages *p, const u8 *page, struct page_place *ret)
{
    *ret = (struct page_place){0, 0};
    if (content_is_zero(page))
        return NULL;
    u64 hash = content_hash(page, SNAPSHOT_PAGE);
    if (pages_find_content(p, hash, page, ret))
        return NULL;
    struct error *err = p->writer ? NULL : begin_page_file(p);
    if (!err)
        err = page_writer_add(p->writer, page);
    if (err)
        return err;
    struct kept_pages *f = kept_file(p, (u32)p->files.count);
    *ret = (struct page_place){(u32)p->files.count, (u32)f->pages.count};
    *(struct kept_page *)list_add(&f->pages) = (struct kept_page){.hash = hash};
    *(const u8 **)list_add(&p->sources) = page;
    grow_slots(p);
    enter_slot(p, hash, *ret);
    return NULL;
}

/* Its number is not used again: slots may still name it. */
void recorder_pages_cancel(struct recorder_pages *p)
{
    if (!p->writer)
        return;
    page_writer_destroy(p->writer);
    p->writer = NULL;
    kept_pages_deinit(kept_file(p, (u32)p->files.count));
}

struct error *recorder_pages_commit(struct recorder_pages *p)
{
    if (!p->writer)
        return NULL;
    struct kept_pages *f = kept_file(p, (u32)p->files.count);
    struct error *err = page_writer_finish(p->writer, &f->bytes);
    p->writer = NULL;
    if (err) {
        kept_pages_deinit(f);
        return err;
    }
    p->bytes += f->bytes;
    f->unused = f->pages.count; /* until they are held */
    return NULL;
}

/* --- references ----------------------------------------------------------------------------- */

void recorder_pages_hold(struct recorder_pages *p, const struct page_place *places, u64 count)
{
    for (u64 n = 0; n < count; n++) {
        if (!places[n].file)
            continue;
        struct kept_page *page = kept_page_at(p, places[n]);
        assert(page);
        if (!page->refs++)
            kept_file(p, places[n].file)->unused--;
    }
}

static void remove_page_file(struct recorder_pages *p, u32 file)
{
    struct kept_pages *f = kept_file(p, file);
    char *name = page_file_name(file);
    unlinkat(p->rec->dir, name, 0);
    free(name);
    p->bytes -= f->bytes;
    kept_pages_deinit(f);
}

/* After an error the file is unchanged. */
static void leave_out_unused(struct recorder_pages *p, u32 file)
{
    struct kept_pages *f = kept_file(p, file);
    struct kept_page *pages = f->pages.items;
    bool *keep = xalloc(f->pages.count * sizeof *keep + 1);
    u64 bytes;
    for (size_t n = 0; n < f->pages.count; n++)
        keep[n] = pages[n].refs;
    struct error *err = page_file_shrink(p->rec->dir, p->rec->meta.id, file, keep, &bytes);
    if (!err) {
        for (size_t n = 0; n < f->pages.count; n++)
            pages[n].gone = !pages[n].refs;
        p->bytes = p->bytes - f->bytes + bytes;
        f->bytes = bytes;
        f->gone += f->unused;
        f->unused = 0;
    }
    error_destroy(err);
    free(keep);
}

static void shrink_page_file(struct recorder_pages *p, u32 file)
{
    const struct kept_pages *f = kept_file(p, file);
    if (p->open_file == file) { /* the file will be replaced */
        page_reader_close(p->reader);
        p->reader = NULL;
        p->open_file = 0;
    }
    if (f->unused + f->gone == f->pages.count)
        remove_page_file(p, file);
    else
        leave_out_unused(p, file);
}

void recorder_pages_release(struct recorder_pages *p, const struct page_place *places, u64 count)
{
    for (u64 n = 0; n < count; n++) {
        if (!places[n].file)
            continue;
        struct kept_page *page = kept_page_at(p, places[n]);
        invariant(1, page && page->refs);
        if (!--page->refs)
            kept_file(p, places[n].file)->unused++;
    }
    for (u32 file = 1; file <= p->files.count; file++) {
        const struct kept_pages *f = kept_file(p, file);
        if (f->unused && f->unused * UNUSED_SHARE > f->pages.count - f->gone)
            shrink_page_file(p, file);
    }
}
