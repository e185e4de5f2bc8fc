/* A snapshot on disk: see the header.
 *
 *     header | state | index | sizes of frames | frames
 *
 * State and index are one zstd frame each.  The index has a u32 for each page of the snapshot: 0,
 * zeros, or the number of a stored page, counted from 1.  A frame holds FRAME_PAGES stored pages,
 * the last one what is left.
 *
 * Pages are told apart by a hash and then compared byte by byte.
 */
#include "log/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <zstd.h>

#include "base/xalloc.h"
#include "log/content_hash.h"
#include "log/crc32c.h"
#include "log/snapshot_state.h"

enum {
    FILE_VERSION = 1,
    FRAME_PAGES = 16,
    FRAME_SIZE = FRAME_PAGES * SNAPSHOT_PAGE,
    LEVEL = 1,
    MEMORY_MOST = 64 << 20, /* what is larger, and not small against what is free,
                             * goes to a disk, if there is one */
};

static const char MAGIC[8] = {'e', 'b', 'b', 's', 'n', 'a', 'p', 1};

/* On disk. */
struct snapshot_header {
    char magic[8];
    u32 version;
    u32 track;
    u8 id[16];
    u64 tick, pc, events_met;
    u64 state_size, state_stored;
    u64 pages, index_stored;
    u64 stored_pages;
    u64 file_size;
    u32 state_crc, index_crc; /* of the stored bytes */
    u32 sizes_crc;
    u32 crc; /* of the header before this */
};
_Static_assert(sizeof(struct snapshot_header) == 120, "on disk");

/* Of a frame. */
struct snapshot_frame {
    u32 stored;
    u32 crc;
};

static u64 snapshot_memory_free(void)
{
    struct sysinfo info;
    return sysinfo(&info) < 0 ? 0 : ((u64)info.freeram + info.bufferram) * info.mem_unit;
}

struct error *snapshot_temporary(u64 size, int *ret)
{
    const char *tmp = getenv("TMPDIR");
    int fd = -1;
    if (size > MEMORY_MOST && size > snapshot_memory_free() / 4)
        fd = open(tmp && *tmp ? tmp : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        fd = memfd_create("ebb-snapshot", MFD_CLOEXEC);
    if (fd < 0)
        return error_errno(errno, "making room for a snapshot");
    *ret = fd;
    return NULL;
}

/* --- writing ------------------------------------------------------------------------------- */

static struct error *snapshot_put(int fd, const void *bytes, size_t size)
{
    const u8 *at = bytes;
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
            return error_errno(errno, "writing a snapshot");
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return NULL;
}

static void *compress(const void *bytes, size_t size, size_t *ret_stored)
{
    size_t room = ZSTD_compressBound(size);
    void *ret = xalloc(room + 1);
    *ret_stored = ZSTD_compress(ret, room, bytes, size, LEVEL);
    if (ZSTD_isError(*ret_stored)) {
        free(ret);
        return NULL;
    }
    return ret;
}

/* Which pages are alike: a table of hashes with open addressing. */
struct page_set {
    const u8 *pages;
    u32 *stored;    /* which page of the snapshot the nth stored one is */
    u32 count;
    u32 *slots;     /* numbers from 1, 0: free */
    u32 mask;
};

static bool page_is_zero(const u8 *page)
{
    return page[0] == 0 && memcmp(page, page + 1, SNAPSHOT_PAGE - 1) == 0;
}

/* The number of the page among the stored ones, which it becomes one of if it is new. */
static u32 page_set_number(struct page_set *s, u32 page)
{
    const u8 *bytes = s->pages + (size_t)page * SNAPSHOT_PAGE;
    if (page_is_zero(bytes))
        return 0;
    u32 slot = (u32)content_hash(bytes, SNAPSHOT_PAGE) & s->mask;
    for (; s->slots[slot]; slot = (slot + 1) & s->mask) {
        u32 other = s->stored[s->slots[slot] - 1];
        if (memcmp(s->pages + (size_t)other * SNAPSHOT_PAGE, bytes, SNAPSHOT_PAGE) == 0)
            return s->slots[slot];
    }
    s->stored[s->count++] = page;
    return s->slots[slot] = s->count;
}

static u32 *make_index(struct page_set *s, u64 pages)
{
    u32 *index = xalloc((pages + 1) * sizeof *index);
    u32 room = 1024;
    while (room < 2 * pages)
        room *= 2;
    s->mask = room - 1;
    s->slots = xalloc(room * sizeof *s->slots);
    memset(s->slots, 0, room * sizeof *s->slots);
    s->stored = xalloc((pages + 1) * sizeof *s->stored);
    for (u64 n = 0; n < pages; n++)
        index[n] = page_set_number(s, (u32)n);
    free(s->slots);
    return index;
}

/* The frames one after the other, after the table of their sizes. */
static struct error *write_frames(int fd, const struct page_set *s, struct snapshot_frame *sizes,
                                  u64 *ret_size)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    u8 *room = xalloc(FRAME_SIZE), *stored = xalloc(ZSTD_compressBound(FRAME_SIZE));
    struct error *err = NULL;
    *ret_size = 0;
    for (u32 from = 0; from < s->count && !err; from += FRAME_PAGES) {
        u32 n = 0;
        for (; n < FRAME_PAGES && from + n < s->count; n++)
            memcpy(room + n * SNAPSHOT_PAGE,
                   s->pages + (size_t)s->stored[from + n] * SNAPSHOT_PAGE, SNAPSHOT_PAGE);
        size_t size = ZSTD_compressCCtx(zstd, stored, ZSTD_compressBound(FRAME_SIZE), room,
                                        n * SNAPSHOT_PAGE, LEVEL);
        if (ZSTD_isError(size)) {
            err = error_new("compressing a snapshot");
            break;
        }
        sizes[from / FRAME_PAGES] = (struct snapshot_frame){(u32)size, crc32c(stored, size)};
        *ret_size += size;
        err = snapshot_put(fd, stored, size);
    }
    free(room);
    free(stored);
    ZSTD_freeCCtx(zstd);
    return err;
}

static struct error *write_parts(int fd, struct snapshot_header *h, const u8 *bytes,
                                 const struct snapshot_raw *raw)
{
    struct page_set set = {.pages = bytes};
    u32 *index = make_index(&set, h->pages);
    size_t frames = (set.count + FRAME_PAGES - 1) / FRAME_PAGES;
    size_t sizes_size = frames * sizeof(struct snapshot_frame);
    struct snapshot_frame *sizes = xalloc(sizes_size + 1);
    size_t state_stored, index_stored;
    u8 *state = compress(bytes + raw->state_at, raw->state_size, &state_stored);
    u8 *packed = compress(index, h->pages * sizeof *index, &index_stored);
    struct error *err = state && packed ? NULL : error_new("compressing a snapshot");
    off_t start = lseek(fd, 0, SEEK_CUR);
    u64 before = err ? 0 : sizeof *h + state_stored + index_stored + sizes_size, behind = 0;
    memset(sizes, 0, sizes_size + 1);
    if (!err && lseek(fd, start + (off_t)before, SEEK_SET) < 0)
        err = error_errno(errno, "writing a snapshot");
    if (!err)
        err = write_frames(fd, &set, sizes, &behind);
    if (!err) {
        h->state_stored = state_stored;
        h->state_crc = crc32c(state, state_stored);
        h->index_stored = index_stored;
        h->index_crc = crc32c(packed, index_stored);
        h->stored_pages = set.count;
        h->sizes_crc = crc32c(sizes, sizes_size);
        h->file_size = before + behind;
        h->crc = crc32c(h, offsetof(struct snapshot_header, crc));
        lseek(fd, start, SEEK_SET);
        err = snapshot_put(fd, h, sizeof *h);
    }
    if (!err)
        err = snapshot_put(fd, state, state_stored);
    if (!err)
        err = snapshot_put(fd, packed, index_stored);
    if (!err)
        err = snapshot_put(fd, sizes, sizes_size);
    free(index);
    free(set.stored);
    free(sizes);
    free(state);
    free(packed);
    return err;
}

struct error *snapshot_file_write(int fd, const struct snapshot_about *about,
                                  const struct snapshot_raw *raw)
{
    size_t size = raw->state_at + raw->state_size;
    struct snapshot_header h = {.version = FILE_VERSION, .track = about->track, .tick = about->tick,
                                .pc = about->pc, .events_met = about->events_met,
                                .state_size = raw->state_size,
                                .pages = raw->state_at / SNAPSHOT_PAGE};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    memcpy(h.id, about->id, sizeof h.id);
    if (h.pages >= UINT32_MAX)
        return error_new("a snapshot is too large");
    void *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, raw->fd, 0);
    if (bytes == MAP_FAILED)
        return error_errno(errno, "reading a snapshot");
    struct error *err = write_parts(fd, &h, bytes, raw);
    munmap(bytes, size);
    return err;
}

/* --- reading ------------------------------------------------------------------------------- */

static struct error *snapshot_damaged(void)
{
    return error_coded(ERROR_DAMAGED, "the snapshot is damaged");
}

static struct error *snapshot_get(int fd, void *to, size_t size)
{
    u8 *at = to;
    while (size) {
        ssize_t n = read(fd, at, size);
        if (n < 0 && errno != EINTR)
            return error_errno(errno, "reading a snapshot");
        if (n == 0)
            return snapshot_damaged();
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return NULL;
}

static struct error *read_header(int fd, u64 at, struct snapshot_header *h)
{
    struct error *err = lseek(fd, (off_t)at, SEEK_SET) < 0
                            ? error_errno(errno, "reading a snapshot")
                            : snapshot_get(fd, h, sizeof *h);
    if (err)
        return err;
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0 ||
        h->crc != crc32c(h, offsetof(struct snapshot_header, crc)))
        return snapshot_damaged();
    return h->version == FILE_VERSION ? NULL
                                      : error_new("the snapshot is of another version of ebb");
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

/* One zstd frame that was `size` bytes long; to be freed. */
static struct error *read_packed(int fd, u64 stored, u32 crc, u64 size, void **ret)
{
    u8 *packed = xalloc(stored + 1), *bytes = xalloc(size + 1);
    struct error *err = snapshot_get(fd, packed, stored);
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

/* Stored pages on their way to all places that they have in the snapshot.  A page is met for the
 * first time in the order of the numbers, so no more than a frame is held; another place of a page
 * is filled from the first. */
struct page_spread {
    int to;
    const u32 *index;
    u64 pages, next; /* places; the one to be filled next */
    u64 *first;      /* of each stored page: its first place */
    u64 met;         /* how many have one */
};

static struct error *spread_put(const struct page_spread *s, u64 place, const u8 *bytes, u64 count)
{
    size_t size = count * SNAPSHOT_PAGE;
    ssize_t n = count ? pwrite(s->to, bytes, size, (off_t)(place * SNAPSHOT_PAGE)) : 0;
    return n == (ssize_t)size ? NULL : error_errno(errno, "making room for a snapshot");
}

static struct error *spread_again(const struct page_spread *s, u64 place, u64 first)
{
    u8 page[SNAPSHOT_PAGE];
    if (pread(s->to, page, sizeof page, (off_t)(first * SNAPSHOT_PAGE)) != (ssize_t)sizeof page)
        return error_errno(errno, "making room for a snapshot");
    return spread_put(s, place, page, 1);
}

/* The frame has the stored pages from `from` on, `count` of them: fills all places up to the first
 * that needs a later one.  Zeros stay holes. */
static struct error *spread_frame(struct page_spread *s, const u8 *frame, u64 from, u64 count)
{
    u64 run = 0; /* pages before s->next that follow each other here and there */
    struct error *err = NULL;
    if (s->next == s->pages)
        return NULL;
    for (; s->next < s->pages && !err; s->next++) {
        u64 number = s->index[s->next];
        bool new = number == s->met + 1;
        if (new && s->met < from + count) {
            s->first[s->met++] = s->next;
            run++;
            continue;
        }
        err = spread_put(s, s->next - run, frame + (s->met - run - from) * SNAPSHOT_PAGE, run);
        run = 0;
        if (new)
            return err; /* it is in the next frame */
        if (number > s->met)
            return err ? err : snapshot_damaged();
        if (number && !err)
            err = spread_again(s, s->next, s->first[number - 1]);
    }
    return err ? err
               : spread_put(s, s->next - run, frame + (s->met - run - from) * SNAPSHOT_PAGE, run);
}

/* One frame after the other. */
static struct error *read_frames(int fd, const struct snapshot_header *h, struct page_spread *s)
{
    size_t count = (h->stored_pages + FRAME_PAGES - 1) / FRAME_PAGES;
    struct snapshot_frame *sizes = xalloc(count * sizeof *sizes + 1);
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    u8 *packed = xalloc(ZSTD_compressBound(FRAME_SIZE)), *frame = xalloc(FRAME_SIZE);
    struct error *err = snapshot_get(fd, sizes, count * sizeof *sizes);
    if (!err && crc32c(sizes, count * sizeof *sizes) != h->sizes_crc)
        err = snapshot_damaged();
    for (size_t n = 0; n < count && !err; n++) {
        u64 left = h->stored_pages - n * FRAME_PAGES;
        u64 pages = left < FRAME_PAGES ? left : FRAME_PAGES;
        if (sizes[n].stored > ZSTD_compressBound(FRAME_SIZE))
            err = snapshot_damaged();
        if (!err)
            err = snapshot_get(fd, packed, sizes[n].stored);
        if (!err && (crc32c(packed, sizes[n].stored) != sizes[n].crc ||
                     ZSTD_decompressDCtx(zstd, frame, pages * SNAPSHOT_PAGE, packed,
                                         sizes[n].stored) != pages * SNAPSHOT_PAGE))
            err = snapshot_damaged();
        if (!err)
            err = spread_frame(s, frame, n * FRAME_PAGES, pages);
    }
    free(packed);
    free(frame);
    free(sizes);
    ZSTD_freeDCtx(zstd);
    return err;
}

static struct error *read_pages(int fd, const struct snapshot_header *h, const u32 *index,
                                const void *state, int to)
{
    u64 size = h->pages * SNAPSHOT_PAGE;
    struct page_spread s = {.to = to, .index = index, .pages = h->pages};
    if (ftruncate(to, (off_t)(size + h->state_size)) < 0)
        return error_errno(errno, "making room for a snapshot");
    s.first = xalloc((h->stored_pages + 1) * sizeof *s.first);
    struct error *err = read_frames(fd, h, &s);
    free(s.first);
    if (!err && s.met != h->stored_pages)
        err = snapshot_damaged();
    for (; !err && s.next < s.pages; s.next++) /* there were no frames at all */
        err = index[s.next] ? snapshot_damaged() : NULL;
    if (!err && pwrite(to, state, h->state_size, (off_t)size) != (ssize_t)h->state_size)
        err = error_errno(errno, "making room for a snapshot");
    return err;
}

static bool sizes_are_sane(int fd, u64 at, const struct snapshot_header *h)
{
    off_t end = lseek(fd, 0, SEEK_END);
    lseek(fd, (off_t)(at + sizeof *h), SEEK_SET);
    return end >= 0 && (u64)end >= at && (u64)end - at >= h->file_size &&
           h->state_stored < h->file_size &&
           h->index_stored < h->file_size && h->pages < UINT32_MAX && h->stored_pages <= h->pages &&
           h->state_size < 1ull << 32;
}

struct error *snapshot_file_read(int fd, u64 at, struct snapshot_about *ret,
                                 struct snapshot_raw *ret_raw)
{
    struct snapshot_header h;
    void *state = NULL, *index = NULL;
    int to = -1;
    struct error *err = read_header(fd, at, &h);
    if (!err && !sizes_are_sane(fd, at, &h))
        err = snapshot_damaged();
    if (!err)
        err = read_packed(fd, h.state_stored, h.state_crc, h.state_size, &state);
    if (!err)
        err = read_packed(fd, h.index_stored, h.index_crc, h.pages * sizeof(u32), &index);
    if (!err)
        err = snapshot_temporary(h.pages * SNAPSHOT_PAGE, &to);
    if (!err)
        err = read_pages(fd, &h, index, state, to);
    free(state);
    free(index);
    if (err) {
        if (to >= 0)
            close(to);
        return err;
    }
    tell_about(&h, ret);
    *ret_raw = (struct snapshot_raw){to, h.pages * SNAPSHOT_PAGE, h.state_size};
    return NULL;
}
