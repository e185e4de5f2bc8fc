/* A snapshot on disk, written: see the header.
 *
 *     header | state | index | sizes of frames | frames
 *
 * State and index are one zstd frame each. The index has a u32 for each page of the snapshot: 0 for
 * a page of zeros, or the number of a stored page, counted from 1. A frame holds
 * SNAPSHOT_FRAME_PAGES stored pages; the last frame may hold fewer.
 *
 * Equal pages are found by a hash and then compared byte by byte.
 *
 * In version 2 there are no frames, and the index has the place of each page in a page file. The
 * index stores a place as its difference from the place after that of the previous page, because
 * pages that have not changed since the last snapshot are mostly consecutive.
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
#include "log/snapshot_file_internal.h"

enum {
    LEVEL = 1,
    /* larger snapshots that need much of the free memory go to a disk, if there is one */
    MEMORY_MOST = 64 << 20,
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

/* Finds equal pages: a hash table with open addressing. */
struct page_set {
    const u8 *pages;
    u32 *stored;    /* for each stored page, its number in the snapshot */
    u32 count;
    u32 *slots;     /* numbers from 1, 0: free */
    u32 mask;
};

static bool page_is_zero(const u8 *page)
{
    return page[0] == 0 && memcmp(page, page + 1, SNAPSHOT_PAGE - 1) == 0;
}

/* Returns the number of the page among the stored ones; a new page is added. */
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

/* Writes the frames one after the other, after the table of their sizes. */
static struct error *write_frames(int fd, const struct page_set *s, struct snapshot_frame *sizes,
                                  u64 *ret_size)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t most = ZSTD_compressBound(SNAPSHOT_FRAME_SIZE);
    u8 *room = xalloc(SNAPSHOT_FRAME_SIZE), *stored = xalloc(most);
    struct error *err = NULL;
    *ret_size = 0;
    for (u32 from = 0; from < s->count && !err; from += SNAPSHOT_FRAME_PAGES) {
        u32 n = 0;
        for (; n < SNAPSHOT_FRAME_PAGES && from + n < s->count; n++)
            memcpy(room + n * SNAPSHOT_PAGE,
                   s->pages + (size_t)s->stored[from + n] * SNAPSHOT_PAGE, SNAPSHOT_PAGE);
        size_t size = ZSTD_compressCCtx(zstd, stored, most, room, n * SNAPSHOT_PAGE, LEVEL);
        if (ZSTD_isError(size)) {
            err = error_new("compressing a snapshot");
            break;
        }
        sizes[from / SNAPSHOT_FRAME_PAGES] =
            (struct snapshot_frame){(u32)size, crc32c(stored, size)};
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
    size_t frames = (set.count + SNAPSHOT_FRAME_PAGES - 1) / SNAPSHOT_FRAME_PAGES;
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
    struct snapshot_header h = {.version = SNAPSHOT_FILE_VERSION, .track = about->track,
                                .tick = about->tick, .pc = about->pc,
                                .events_met = about->events_met, .state_size = raw->state_size,
                                .pages = raw->state_at / SNAPSHOT_PAGE};
    memcpy(h.magic, SNAPSHOT_MAGIC, sizeof h.magic);
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

static void places_to_differences(const struct page_place *places, u64 count, u32 *ret)
{
    struct page_place expected = {0, 0};
    for (u64 n = 0; n < count; n++) {
        ret[n] = places[n].file - expected.file;
        ret[count + n] = places[n].number - expected.number;
        expected = place_after(places[n]);
    }
}

struct error *snapshot_file_write_placed(int fd, const struct snapshot_about *about,
                                         const void *state, u64 state_size,
                                         const struct page_place *places, u64 pages)
{
    struct snapshot_header h = {.version = SNAPSHOT_FILE_PLACED, .track = about->track,
                                .tick = about->tick, .pc = about->pc,
                                .events_met = about->events_met, .state_size = state_size,
                                .pages = pages};
    size_t size = pages * sizeof *places, state_stored = 0, index_stored = 0;
    u32 *index = xalloc(size + 1);
    memcpy(h.magic, SNAPSHOT_MAGIC, sizeof h.magic);
    memcpy(h.id, about->id, sizeof h.id);
    places_to_differences(places, pages, index);
    u8 *packed_state = compress(state, state_size, &state_stored);
    u8 *packed = compress(index, size, &index_stored);
    struct error *err = packed_state && packed ? NULL : error_new("compressing a snapshot");
    if (!err) {
        h.state_stored = state_stored;
        h.state_crc = crc32c(packed_state, state_stored);
        h.index_stored = index_stored;
        h.index_crc = crc32c(packed, index_stored);
        h.file_size = sizeof h + state_stored + index_stored;
        h.crc = crc32c(&h, offsetof(struct snapshot_header, crc));
        err = snapshot_put(fd, &h, sizeof h);
    }
    if (!err)
        err = snapshot_put(fd, packed_state, state_stored);
    if (!err)
        err = snapshot_put(fd, packed, index_stored);
    free(index);
    free(packed_state);
    free(packed);
    return err;
}
