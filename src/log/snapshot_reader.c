/* Reads a snapshot from disk: see snapshot_file.h.
 *
 * A page is found by its number: the index gives the number of the stored page, and with that its
 * frame. The most recently decompressed frames are kept: a content that occurs several times is
 * stored once, where it occurs first, so an earlier frame may be needed again.
 *
 * Pages that are in page files are found by their places. A few of these files are open at a time:
 * there may be thousands.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/xalloc.h"
#include "log/crc32c.h"
#include "log/snapshot_file.h"
#include "log/snapshot_file_internal.h"

enum {
    FRAMES_KEPT = 8,
    CHECKED_AT_A_TIME = 1 << 20,
    PAGES_AT_A_TIME = 256,
    FILES_OPEN = 16,
};

struct open_page_file {
    struct page_reader *reader; /* NULL: none */
    u32 file;
    u64 used; /* when */
};

struct kept_frame {
    u64 number; /* from 1; 0: none */
    u64 used;   /* when */
    u8 bytes[SNAPSHOT_FRAME_SIZE];
};

struct snapshot_reader {
    int fd;
    struct snapshot_header h;
    void *state;
    u32 *index;
    struct page_place *places; /* instead of the index and frames, if pages are in page files */
    struct page_source source;
    struct open_page_file open[FILES_OPEN];
    u64 *frame_at; /* in the file; one more than there are frames */
    u8 *packed;    /* room for a frame as it is stored */
    ZSTD_DCtx *zstd;
    u64 clock;
    struct kept_frame kept[FRAMES_KEPT];
};

static struct error *snapshot_damaged(void)
{
    return error_coded(ERROR_DAMAGED, "the snapshot is damaged");
}

static struct error *snapshot_get(int fd, u64 at, void *to, size_t size)
{
    u8 *next = to;
    while (size) {
        ssize_t n = pread(fd, next, size, (off_t)at);
        if (n < 0 && errno != EINTR)
            return error_errno(errno, "reading a snapshot");
        if (n == 0)
            return snapshot_damaged();
        if (n > 0) {
            next += n;
            at += (u64)n;
            size -= (size_t)n;
        }
    }
    return NULL;
}

static struct error *read_header(int fd, u64 at, struct snapshot_header *h)
{
    struct error *err = snapshot_get(fd, at, h, sizeof *h);
    if (err)
        return err;
    if (memcmp(h->magic, SNAPSHOT_MAGIC, sizeof h->magic) != 0 ||
        h->crc != crc32c(h, offsetof(struct snapshot_header, crc)))
        return snapshot_damaged();
    return h->version == SNAPSHOT_FILE_VERSION || h->version == SNAPSHOT_FILE_PLACED
               ? NULL
               : error_coded(ERROR_UNREPLAYABLE, "the snapshot is of another version of ebb");
}

static void tell_about(const struct snapshot_header *h, struct snapshot_about *ret)
{
    *ret = (struct snapshot_about){.track = h->track, .tick = h->tick, .pc = h->pc,
                                   .events_met = h->events_met};
    memcpy(ret->id, h->id, sizeof ret->id);
}

struct error *snapshot_file_about(int fd, u64 at, struct snapshot_about *ret, u64 *ret_size)
{
    struct snapshot_header h;
    struct error *err = read_header(fd, at, &h);
    if (err)
        return err;
    tell_about(&h, ret);
    *ret_size = h.file_size;
    return NULL;
}

/* --- opening --------------------------------------------------------------------------------- */

static bool sizes_are_sane(int fd, u64 at, const struct snapshot_header *h)
{
    off_t end = lseek(fd, 0, SEEK_END);
    return end >= 0 && (u64)end >= at && (u64)end - at >= h->file_size &&
           h->state_stored < h->file_size && h->index_stored < h->file_size &&
           h->pages < UINT32_MAX && h->stored_pages <= h->pages && h->state_size < 1ull << 32;
}

/* Reads one zstd frame of `size` bytes when decompressed; the caller frees it. */
static struct error *read_packed(int fd, u64 at, u64 stored, u32 crc, u64 size, void **ret)
{
    u8 *packed = xalloc(stored + 1), *bytes = xalloc(size + 1);
    struct error *err = snapshot_get(fd, at, packed, stored);
    if (!err && (crc32c(packed, stored) != crc ||
                 ZSTD_decompress(bytes, size, packed, stored) != size))
        err = snapshot_damaged();
    free(packed);
    if (err)
        free(bytes);
    else
        *ret = bytes;
    return err;
}

static size_t frame_count(const struct snapshot_header *h)
{
    return (h->stored_pages + SNAPSHOT_FRAME_PAGES - 1) / SNAPSHOT_FRAME_PAGES;
}

/* Computes the offset of each frame, and checks that none is too long. */
static struct error *place_frames(struct snapshot_reader *r, const struct snapshot_frame *frames,
                                  u64 at)
{
    size_t count = frame_count(&r->h), most = ZSTD_compressBound(SNAPSHOT_FRAME_SIZE);
    r->frame_at = xalloc((count + 1) * sizeof *r->frame_at);
    for (size_t n = 0; n < count; n++) {
        r->frame_at[n] = at;
        if (frames[n].stored > most)
            return snapshot_damaged();
        at += frames[n].stored;
    }
    r->frame_at[count] = at;
    return NULL;
}

/* Checks the frames. They are consecutive, and many are read at once. */
static struct error *check_frames(const struct snapshot_reader *r,
                                  const struct snapshot_frame *frames)
{
    size_t count = frame_count(&r->h);
    u8 *room = xalloc(CHECKED_AT_A_TIME);
    struct error *err = NULL;
    for (size_t from = 0, to = 0; from < count && !err; from = to) {
        u64 at = r->frame_at[from];
        while (to < count && r->frame_at[to + 1] - at <= CHECKED_AT_A_TIME)
            to++;
        err = snapshot_get(r->fd, at, room, r->frame_at[to] - at);
        for (size_t n = from; n < to && !err; n++)
            if (crc32c(room + (r->frame_at[n] - at), frames[n].stored) != frames[n].crc)
                err = snapshot_damaged();
    }
    free(room);
    return err;
}

/* Checks that numbers are in the order in which pages first occur. */
static bool index_is_sane(const struct snapshot_reader *r)
{
    u64 met = 0;
    for (u64 n = 0; n < r->h.pages; n++) {
        if (r->index[n] > met + 1)
            return false;
        met += r->index[n] == met + 1;
    }
    return met == r->h.stored_pages;
}

static struct error *read_frame_table(struct snapshot_reader *r, u64 at)
{
    size_t size = frame_count(&r->h) * sizeof(struct snapshot_frame);
    struct snapshot_frame *frames = xalloc(size + 1);
    struct error *err = snapshot_get(r->fd, at, frames, size);
    if (!err && crc32c(frames, size) != r->h.sizes_crc)
        err = snapshot_damaged();
    if (!err)
        err = place_frames(r, frames, at + size);
    if (!err)
        err = check_frames(r, frames);
    free(frames);
    return err;
}

/* --- pages in page files --------------------------------------------------------------------- */

static struct error *read_places(int fd, u64 at, const struct snapshot_header *h,
                                 struct page_place **ret)
{
    void *bytes;
    struct page_place expected = {0, 0};
    u64 count = h->pages;
    struct error *err = read_packed(fd, at + sizeof *h + h->state_stored, h->index_stored,
                                    h->index_crc, count * sizeof **ret, &bytes);
    if (err)
        return err;
    const u32 *index = bytes;
    struct page_place *places = xalloc(count * sizeof *places + 1);
    for (u64 n = 0; n < count; n++) {
        places[n].file = expected.file + index[n];
        places[n].number = expected.number + index[count + n];
        expected = place_after(places[n]);
    }
    free(bytes);
    *ret = places;
    return NULL;
}

struct error *snapshot_file_places(int fd, u64 at, struct page_place **ret, u64 *ret_pages)
{
    struct snapshot_header h;
    struct error *err = read_header(fd, at, &h);
    if (!err && !sizes_are_sane(fd, at, &h))
        err = snapshot_damaged();
    if (err)
        return err;
    *ret = NULL;
    *ret_pages = h.version == SNAPSHOT_FILE_PLACED ? h.pages : 0;
    return *ret_pages ? read_places(fd, at, &h, ret) : NULL;
}

/* Opens the page file, unless it is open, and closes the least recently used one. */
static struct error *reader_page_file(struct snapshot_reader *r, u32 file,
                                      struct page_reader **ret)
{
    struct open_page_file *oldest = r->open;
    for (struct open_page_file *f = r->open; f < r->open + FILES_OPEN; f++) {
        if (f->reader && f->file == file) {
            f->used = ++r->clock;
            *ret = f->reader;
            return NULL;
        }
        oldest = f->used < oldest->used ? f : oldest;
    }
    int fd;
    u64 at;
    page_reader_close(oldest->reader);
    oldest->reader = NULL;
    struct error *err = r->source.open(r->source.context, file, &fd, &at);
    if (!err)
        err = page_reader_open(fd, at, r->h.id, file, &oldest->reader);
    if (err)
        return err;
    oldest->file = file;
    oldest->used = ++r->clock;
    *ret = oldest->reader;
    return NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct page_place *x = a, *y = b;
    return x->file != y->file ? (x->file < y->file ? -1 : 1)
           : x->number < y->number ? -1 : x->number > y->number;
}

/* Checks each frame once, file by file. */
static struct error *check_places(struct snapshot_reader *r)
{
    size_t size = r->h.pages * sizeof *r->places;
    struct page_place *order = xalloc(size + 1), before = {0, 0};
    struct error *err = NULL;
    memcpy(order, r->places, size);
    qsort(order, r->h.pages, sizeof *order, by_place);
    for (u64 n = 0; n < r->h.pages && !err; n++) {
        struct page_reader *reader;
        if (!order[n].file || (order[n].file == before.file && order[n].number / PAGE_FILE_FRAME ==
                                                                   before.number / PAGE_FILE_FRAME))
            continue;
        err = reader_page_file(r, order[n].file, &reader);
        if (!err)
            err = page_reader_check(reader, order[n].number);
        before = order[n];
    }
    free(order);
    return err;
}

static struct error *reader_placed_page(struct snapshot_reader *r, struct page_place place, u8 *to)
{
    struct page_reader *reader;
    const u8 *frame;
    struct error *err = reader_page_file(r, place.file, &reader);
    if (!err)
        err = page_reader_frame(reader, place.number, &frame);
    if (!err)
        memcpy(to, frame + place.number % PAGE_FILE_FRAME * SNAPSHOT_PAGE, SNAPSHOT_PAGE);
    return err;
}

/* --- opening, all of it ---------------------------------------------------------------------- */

static struct error *open_placed(struct snapshot_reader *r, u64 at)
{
    struct error *err = r->source.open
                            ? read_places(r->fd, at, &r->h, &r->places)
                            : error_coded(ERROR_DAMAGED, "the snapshot has no pages of its own");
    return err ? err : check_places(r);
}

static struct error *open_parts(struct snapshot_reader *r, u64 at)
{
    struct snapshot_header *h = &r->h;
    struct error *err = read_header(r->fd, at, h);
    if (!err && !sizes_are_sane(r->fd, at, h))
        err = snapshot_damaged();
    u64 begin = at;
    at += sizeof *h;
    if (!err)
        err = read_packed(r->fd, at, h->state_stored, h->state_crc, h->state_size, &r->state);
    at += h->state_stored;
    if (!err && h->version == SNAPSHOT_FILE_PLACED)
        return open_placed(r, begin);
    if (!err)
        err = read_packed(r->fd, at, h->index_stored, h->index_crc, h->pages * sizeof(u32),
                          (void **)&r->index);
    at += h->index_stored;
    if (!err && !index_is_sane(r))
        err = snapshot_damaged();
    return err ? err : read_frame_table(r, at);
}

struct error *snapshot_reader_open(int fd, u64 at, struct snapshot_about *ret_about,
                                   struct snapshot_reader **ret)
{
    return snapshot_reader_open_from(fd, at, NULL, ret_about, ret);
}

struct error *snapshot_reader_open_from(int fd, u64 at, const struct page_source *source,
                                        struct snapshot_about *ret_about,
                                        struct snapshot_reader **ret)
{
    struct snapshot_reader *r = xalloc(sizeof *r);
    memset(r, 0, sizeof *r);
    if (source)
        r->source = *source;
    r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    r->zstd = ZSTD_createDCtx();
    r->packed = xalloc(ZSTD_compressBound(SNAPSHOT_FRAME_SIZE));
    struct error *err = r->fd < 0 ? error_errno(errno, "reading a snapshot") : open_parts(r, at);
    if (err) {
        snapshot_reader_close(r);
        return err;
    }
    tell_about(&r->h, ret_about);
    *ret = r;
    return NULL;
}

void snapshot_reader_close(struct snapshot_reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    for (unsigned n = 0; n < FILES_OPEN; n++)
        page_reader_close(r->open[n].reader);
    ZSTD_freeDCtx(r->zstd);
    free(r->state);
    free(r->index);
    free(r->places);
    free(r->frame_at);
    free(r->packed);
    free(r);
}

/* --- reading --------------------------------------------------------------------------------- */

u64 snapshot_reader_count(const struct snapshot_reader *r)
{
    return r->h.pages;
}

static struct error *put_state(const struct snapshot_reader *r, int to, u64 at)
{
    return pwrite(to, r->state, r->h.state_size, (off_t)at) == (ssize_t)r->h.state_size
               ? NULL
               : error_errno(errno, "making room for a snapshot");
}

struct error *snapshot_reader_state(const struct snapshot_reader *r, struct snapshot_raw *ret)
{
    int to = -1;
    struct error *err = snapshot_temporary(r->h.state_size, &to);
    if (!err)
        err = put_state(r, to, 0);
    if (err && to >= 0)
        close(to);
    *ret = (struct snapshot_raw){to, 0, r->h.state_size};
    return err;
}

/* Returns a frame, decompressed. */
static struct error *reader_frame(struct snapshot_reader *r, u64 number, const u8 **ret)
{
    struct kept_frame *oldest = r->kept;
    for (struct kept_frame *f = r->kept; f < r->kept + FRAMES_KEPT; f++) {
        if (f->number == number + 1) {
            f->used = ++r->clock;
            *ret = f->bytes;
            return NULL;
        }
        oldest = f->used < oldest->used ? f : oldest;
    }
    u64 left = r->h.stored_pages - number * SNAPSHOT_FRAME_PAGES, at = r->frame_at[number];
    u64 pages = left < SNAPSHOT_FRAME_PAGES ? left : SNAPSHOT_FRAME_PAGES;
    size_t size = pages * SNAPSHOT_PAGE, stored = r->frame_at[number + 1] - at;
    struct error *err = snapshot_get(r->fd, at, r->packed, stored);
    oldest->number = 0;
    if (!err && ZSTD_decompressDCtx(r->zstd, oldest->bytes, size, r->packed, stored) != size)
        err = snapshot_damaged();
    if (err)
        return err;
    oldest->number = number + 1;
    oldest->used = ++r->clock;
    *ret = oldest->bytes;
    return NULL;
}

static bool reader_page_is_zero(const struct snapshot_reader *r, u64 number)
{
    return r->places ? !r->places[number].file : !r->index[number];
}

struct error *snapshot_reader_pages(struct snapshot_reader *r, u64 first, u64 count, u8 *to)
{
    if (first > r->h.pages || count > r->h.pages - first)
        return error_coded(ERROR_DAMAGED, "the snapshot has no such page");
    for (u64 n = first; n < first + count; n++, to += SNAPSHOT_PAGE) {
        const u8 *frame;
        if (reader_page_is_zero(r, n)) {
            memset(to, 0, SNAPSHOT_PAGE);
            continue;
        }
        if (r->places) {
            struct error *failed = reader_placed_page(r, r->places[n], to);
            if (failed)
                return failed;
            continue;
        }
        u64 stored = r->index[n] - 1;
        struct error *err = reader_frame(r, stored / SNAPSHOT_FRAME_PAGES, &frame);
        if (err)
            return err;
        memcpy(to, frame + stored % SNAPSHOT_FRAME_PAGES * SNAPSHOT_PAGE, SNAPSHOT_PAGE);
    }
    return NULL;
}

/* --- all of it ------------------------------------------------------------------------------- */

/* Returns the number of pages from `first` on that are all zeros, or all not zeros. */
static u64 pages_alike(const struct snapshot_reader *r, u64 first, u64 most)
{
    u64 n = first;
    while (n < r->h.pages && n - first < most &&
           reader_page_is_zero(r, n) == reader_page_is_zero(r, first))
        n++;
    return n - first;
}

/* Pages of zeros remain holes in the file. */
static struct error *read_all_pages(struct snapshot_reader *r, int to)
{
    u8 *room = xalloc(PAGES_AT_A_TIME * SNAPSHOT_PAGE);
    struct error *err = NULL;
    for (u64 n = 0, count; n < r->h.pages && !err; n += count) {
        count = pages_alike(r, n, PAGES_AT_A_TIME);
        if (reader_page_is_zero(r, n))
            continue;
        size_t size = count * SNAPSHOT_PAGE;
        err = snapshot_reader_pages(r, n, count, room);
        if (!err && pwrite(to, room, size, (off_t)(n * SNAPSHOT_PAGE)) != (ssize_t)size)
            err = error_errno(errno, "making room for a snapshot");
    }
    free(room);
    return err;
}

struct error *snapshot_file_read(int fd, u64 at, struct snapshot_about *ret,
                                 struct snapshot_raw *ret_raw)
{
    return snapshot_file_read_from(fd, at, NULL, ret, ret_raw);
}

struct error *snapshot_file_read_from(int fd, u64 at, const struct page_source *source,
                                      struct snapshot_about *ret, struct snapshot_raw *ret_raw)
{
    struct snapshot_reader *r;
    int to = -1;
    struct error *err = snapshot_reader_open_from(fd, at, source, ret, &r);
    if (err)
        return err;
    u64 size = r->h.pages * SNAPSHOT_PAGE;
    err = snapshot_temporary(size, &to);
    if (!err && ftruncate(to, (off_t)(size + r->h.state_size)) < 0)
        err = error_errno(errno, "making room for a snapshot");
    if (!err)
        err = read_all_pages(r, to);
    if (!err)
        err = put_state(r, to, size);
    if (err && to >= 0)
        close(to);
    *ret_raw = (struct snapshot_raw){to, size, r->h.state_size};
    snapshot_reader_close(r);
    return err;
}
