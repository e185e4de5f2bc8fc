/* A page file: see the header.
 *
 *     header | frames | table
 *
 * The table comes last, because the number of new pages is not known before. It has the size and
 * the checksum of each frame. A frame whose pages were all removed has size 0.
 */
#include "log/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "log/crc32c.h"
#include "log/snapshot_state.h"

enum {
    PAGE_FILE_VERSION = 1,
    PAGE_FRAME_SIZE = PAGE_FILE_FRAME * SNAPSHOT_PAGE,
    PAGE_LEVEL = 1,
};

static const char PAGE_MAGIC[8] = {'e', 'b', 'b', 'p', 'a', 'g', 'e', 1};

/* On disk. */
struct page_file_header {
    char magic[8];
    u32 version;
    u32 file;
    u8 id[16];
    u64 pages;
    u64 table_at;
    u32 table_crc;
    u32 crc; /* of the header before this */
};
_Static_assert(sizeof(struct page_file_header) == 56, "on disk");

struct page_file_frame {
    u32 stored; /* size in bytes; 0: the frame was removed */
    u32 crc;
};

char *page_file_name(u32 file)
{
    return xformat("pages-%u", file);
}

bool page_file_names(const char *name)
{
    unsigned file;
    if (sscanf(name, "pages-%u", &file) != 1)
        return false;
    char *proper = page_file_name(file);
    size_t length = strlen(proper);
    bool is = strncmp(name, proper, length) == 0 &&
              (!name[length] || strcmp(name + length, ".new") == 0);
    free(proper);
    return is;
}

static u64 page_frames(u64 pages)
{
    return (pages + PAGE_FILE_FRAME - 1) / PAGE_FILE_FRAME;
}

/* --- writing -------------------------------------------------------------------------------- */

struct page_writer {
    int dir, fd;
    char *name, *new_name;
    struct page_file_header header;
    u64 at;             /* offset of the next frame */
    struct list frames; /* struct page_file_frame */
    ZSTD_CCtx *zstd;
    u32 held;           /* number of pages in the frame that is being filled */
    u8 frame[PAGE_FRAME_SIZE];
    u8 packed[ZSTD_COMPRESSBOUND(PAGE_FRAME_SIZE)];
};

static struct error *page_put(int fd, const void *bytes, size_t size, u64 at)
{
    ssize_t n = size ? pwrite(fd, bytes, size, (off_t)at) : 0;
    return n == (ssize_t)size ? NULL : error_errno(n < 0 ? errno : ENOSPC, "writing pages");
}

struct error *page_writer_create(int dir, const u8 id[16], u32 file, struct page_writer **ret)
{
    struct page_writer *w = xalloc(sizeof *w);
    w->dir = dir;
    w->name = page_file_name(file);
    w->new_name = xformat("%s.new", w->name);
    w->header = (struct page_file_header){.version = PAGE_FILE_VERSION, .file = file};
    memcpy(w->header.magic, PAGE_MAGIC, sizeof PAGE_MAGIC);
    memcpy(w->header.id, id, sizeof w->header.id);
    w->at = sizeof w->header;
    w->frames = LIST(struct page_file_frame);
    w->zstd = ZSTD_createCCtx();
    w->held = 0;
    w->fd = openat(dir, w->new_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (w->fd < 0) {
        struct error *err = error_errno(errno, "making %s", w->new_name);
        page_writer_destroy(w);
        return err;
    }
    *ret = w;
    return NULL;
}

/* Writes a frame that is already compressed. */
static struct error *page_writer_frame(struct page_writer *w, const void *bytes, u32 size, u32 crc)
{
    struct error *err = page_put(w->fd, bytes, size, w->at);
    *(struct page_file_frame *)list_add(&w->frames) = (struct page_file_frame){size, crc};
    w->at += size;
    return err;
}

static struct error *page_writer_flush(struct page_writer *w)
{
    size_t size = ZSTD_compressCCtx(w->zstd, w->packed, sizeof w->packed, w->frame,
                                    w->held * SNAPSHOT_PAGE, PAGE_LEVEL);
    w->held = 0;
    if (ZSTD_isError(size))
        return error_new("compressing pages");
    return page_writer_frame(w, w->packed, (u32)size, crc32c(w->packed, size));
}

struct error *page_writer_add(struct page_writer *w, const u8 *page)
{
    memcpy(w->frame + w->held * SNAPSHOT_PAGE, page, SNAPSHOT_PAGE);
    w->header.pages++;
    return ++w->held == PAGE_FILE_FRAME ? page_writer_flush(w) : NULL;
}

static struct error *page_writer_close(struct page_writer *w, u64 *ret_bytes)
{
    struct page_file_header *h = &w->header;
    struct error *err = w->held ? page_writer_flush(w) : NULL;
    size_t size = w->frames.count * sizeof(struct page_file_frame);
    h->table_at = w->at;
    h->table_crc = crc32c(w->frames.items, size);
    h->crc = crc32c(h, offsetof(struct page_file_header, crc));
    if (!err)
        err = page_put(w->fd, w->frames.items, size, w->at);
    if (!err)
        err = page_put(w->fd, h, sizeof *h, 0);
    if (!err && renameat(w->dir, w->new_name, w->dir, w->name) < 0)
        err = error_errno(errno, "making %s", w->name);
    *ret_bytes = w->at + size;
    return err;
}

struct error *page_writer_finish(struct page_writer *w, u64 *ret_bytes)
{
    u64 bytes;
    struct error *err = page_writer_close(w, &bytes);
    if (!err)
        *ret_bytes = bytes;
    page_writer_destroy(w); /* the file has its final name and is not removed */
    return err;
}

void page_writer_destroy(struct page_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0) {
        unlinkat(w->dir, w->new_name, 0);
        close(w->fd);
    }
    ZSTD_freeCCtx(w->zstd);
    list_deinit(&w->frames);
    free(w->name);
    free(w->new_name);
    free(w);
}

/* --- reading -------------------------------------------------------------------------------- */

struct page_reader {
    int fd;
    u64 at; /* offset of the header */
    struct page_file_header header;
    struct page_file_frame *frames;
    u64 *places; /* offsets of the frames from the header */
    ZSTD_DCtx *zstd;
    u64 read;    /* number of the frame in the buffer plus 1; 0: none */
    u8 frame[PAGE_FRAME_SIZE];
    u8 packed[ZSTD_COMPRESSBOUND(PAGE_FRAME_SIZE)];
};

static struct error *page_file_damaged(void)
{
    return error_coded(ERROR_DAMAGED, "a file of pages is damaged");
}

static struct error *page_get(const struct page_reader *r, void *to, size_t size, u64 at)
{
    ssize_t n = pread(r->fd, to, size, (off_t)(r->at + at));
    if (n < 0)
        return error_errno(errno, "reading pages");
    return n == (ssize_t)size ? NULL : page_file_damaged();
}

static struct error *page_reader_table(struct page_reader *r)
{
    u64 count = page_frames(r->header.pages), at = sizeof r->header;
    size_t size = count * sizeof *r->frames;
    r->frames = xalloc(size + 1);
    r->places = xalloc((count + 1) * sizeof *r->places);
    struct error *err = page_get(r, r->frames, size, r->header.table_at);
    if (!err && crc32c(r->frames, size) != r->header.table_crc)
        err = page_file_damaged();
    for (u64 n = 0; n < count && !err; n++) {
        r->places[n] = at;
        at += r->frames[n].stored;
        if (r->frames[n].stored > sizeof r->packed)
            err = page_file_damaged();
    }
    return err;
}

struct error *page_reader_open(int fd, u64 at, const u8 id[16], u32 file, struct page_reader **ret)
{
    struct page_reader *r = xalloc(sizeof *r);
    struct page_file_header *h = &r->header;
    r->fd = fd;
    r->at = at;
    r->frames = NULL;
    r->places = NULL;
    r->read = 0;
    r->zstd = ZSTD_createDCtx();
    struct error *err = page_get(r, h, sizeof *h, 0);
    if (!err && (memcmp(h->magic, PAGE_MAGIC, sizeof PAGE_MAGIC) != 0 ||
                 h->crc != crc32c(h, offsetof(struct page_file_header, crc)) ||
                 memcmp(h->id, id, sizeof h->id) != 0 || h->file != file ||
                 h->pages > UINT32_MAX))
        err = page_file_damaged();
    if (!err && h->version != PAGE_FILE_VERSION)
        err = error_new("the pages are of another version of ebb");
    if (!err)
        err = page_reader_table(r);
    if (err) {
        page_reader_close(r);
        return err;
    }
    *ret = r;
    return NULL;
}

/* Reads a frame without decompressing it. */
static struct error *page_reader_packed(struct page_reader *r, u64 frame)
{
    const struct page_file_frame *f = &r->frames[frame];
    struct error *err = f->stored ? page_get(r, r->packed, f->stored, r->places[frame])
                                  : page_file_damaged();
    return err || crc32c(r->packed, f->stored) == f->crc ? err : page_file_damaged();
}

struct error *page_reader_check(struct page_reader *r, u32 number)
{
    return number < r->header.pages ? page_reader_packed(r, number / PAGE_FILE_FRAME)
                                    : page_file_damaged();
}

struct error *page_reader_frame(struct page_reader *r, u32 number, const u8 **ret)
{
    u64 frame = number / PAGE_FILE_FRAME, left;
    if (number >= r->header.pages)
        return page_file_damaged();
    left = r->header.pages - frame * PAGE_FILE_FRAME;
    size_t size = (left < PAGE_FILE_FRAME ? left : PAGE_FILE_FRAME) * SNAPSHOT_PAGE;
    *ret = r->frame;
    if (r->read == frame + 1)
        return NULL;
    r->read = 0;
    struct error *err = page_reader_packed(r, frame);
    if (!err && ZSTD_decompressDCtx(r->zstd, r->frame, size, r->packed,
                                    r->frames[frame].stored) != size)
        err = page_file_damaged();
    r->read = err ? 0 : frame + 1;
    return err;
}

void page_reader_close(struct page_reader *r)
{
    if (!r)
        return;
    close(r->fd);
    ZSTD_freeDCtx(r->zstd);
    free(r->frames);
    free(r->places);
    free(r);
}

/* --- shrinking ------------------------------------------------------------------------------ */

/* Tells whether all pages of a frame are to be kept, or some, or none. */
enum page_frame_kept { KEPT_NONE, KEPT_SOME, KEPT_ALL };
static enum page_frame_kept page_frame_kept(const bool *keep, u64 from, u64 end)
{
    u64 count = 0;
    for (u64 n = from; n < end; n++)
        count += keep[n];
    return count == end - from ? KEPT_ALL : count ? KEPT_SOME : KEPT_NONE;
}

/* Compresses the frame again, with zeros in place of the removed pages. */
static struct error *page_file_wipe(struct page_reader *r, struct page_writer *w, const bool *keep,
                                    u64 from, u64 end)
{
    const u8 *frame;
    struct error *err = page_reader_frame(r, (u32)from, &frame);
    if (err)
        return err;
    for (u64 n = from; n < end; n++) {
        u8 *to = w->frame + (n - from) * SNAPSHOT_PAGE;
        if (keep[n])
            memcpy(to, frame + (n - from) * SNAPSHOT_PAGE, SNAPSHOT_PAGE);
        else
            memset(to, 0, SNAPSHOT_PAGE);
    }
    w->held = (u32)(end - from);
    return page_writer_flush(w);
}

static struct error *page_file_copy(struct page_reader *r, struct page_writer *w, const bool *keep)
{
    struct error *err = NULL;
    w->header.pages = r->header.pages;
    for (u64 n = 0; n < page_frames(r->header.pages) && !err; n++) {
        u64 from = n * PAGE_FILE_FRAME, end = from + PAGE_FILE_FRAME;
        end = end < r->header.pages ? end : r->header.pages;
        enum page_frame_kept kept = page_frame_kept(keep, from, end);
        if (kept == KEPT_NONE || !r->frames[n].stored) {
            err = page_writer_frame(w, NULL, 0, 0);
        } else if (kept == KEPT_SOME) {
            err = page_file_wipe(r, w, keep, from, end);
        } else {
            err = page_reader_packed(r, n);
            if (!err)
                err = page_writer_frame(w, r->packed, r->frames[n].stored, r->frames[n].crc);
        }
    }
    return err;
}

struct error *page_file_shrink(int dir, const u8 id[16], u32 file, const bool *keep, u64 *ret_bytes)
{
    char *name = page_file_name(file);
    struct page_reader *r = NULL;
    struct page_writer *w = NULL;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct error *err = fd < 0 ? error_errno(errno, "opening %s", name)
                               : page_reader_open(fd, 0, id, file, &r);
    if (!err)
        err = page_writer_create(dir, id, file, &w);
    if (!err)
        err = page_file_copy(r, w, keep);
    if (!err)
        err = page_writer_finish(w, ret_bytes);
    else
        page_writer_destroy(w);
    page_reader_close(r);
    free(name);
    return err;
}
