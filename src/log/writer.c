/* Writes one track: see the header, and log/format.h for what it writes.
 *
 * Events are collected in `raw` until they have CHUNK_RAW_WANTED bytes; then they are compressed
 * into `stored`, after room for the chunk's header, and written with one call.
 *
 * Invariants
 *   (1) The file consists of whole chunks of `stored_bytes` bytes in all, and perhaps one more of
 *       `tail` bytes that the next one replaces. A write that fails half way is undone by
 *       truncating the file; if that fails too, a reader sees an incomplete chunk and stops there.
 *   (2) raw[0 .. raw_used) is less than CHUNK_RAW_WANTED between calls, so there is always room
 *       for as much again, or for the largest event.
 */
#include "log/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/assert.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "log/crc32c.h"
#include "log/event.h"

enum {
    LEVEL = 1,
    LEVEL_HURRY = -5, /* about three times as fast, a quarter larger */
};
_Static_assert((int)CHUNK_RAW_WANTED >= (int)EVENT_SIZE_MOST, "(2)");

struct writer {
    int fd;
    char *name;
    ZSTD_CCtx *zstd;
    u8 *raw, *stored;
    u64 raw_used;
    u64 first_event, first_tick; /* of the events in raw */
    u64 events;
    u64 raw_bytes, stored_bytes; /* in the file */
    u64 tail;  /* bytes after stored_bytes: see writer_tail() */
    bool torn; /* the file ends with a partial chunk that could not be removed */
};

static void writer_destroyp(struct writer **w)
{
    writer_destroy(*w);
}

/* Checks that the file still has a name, so that an error message can mention the directory. */
static struct error *check_linked(struct writer *w)
{
    struct stat st;
    if (fstat(w->fd, &st) == 0 && st.st_nlink == 0)
        return error_new("%s was removed", w->name);
    return NULL;
}

static struct error *writer_write_all(struct writer *w, const void *bytes, u64 size)
{
    const u8 *at = bytes;
    u64 left = size;
    invariant(1, w->torn || lseek(w->fd, 0, SEEK_CUR) == (off_t)w->stored_bytes);
    while (left > 0) {
        ssize_t n = write(w->fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            struct error *err = error_errno(n < 0 ? errno : ENOSPC, "writing %s", w->name);
            w->torn = ftruncate(w->fd, (off_t)w->stored_bytes) < 0 ||
                      lseek(w->fd, 0, SEEK_END) != (off_t)w->stored_bytes;
            return err;
        }
        at += n;
        left -= (u64)n;
    }
    w->stored_bytes += size;
    if (w->tail > size && ftruncate(w->fd, (off_t)w->stored_bytes) < 0)
        return error_errno(errno, "cutting %s", w->name);
    w->tail = 0;
    return NULL;
}

static struct error *write_header(struct writer *w, const struct format_file *given)
{
    struct format_file header = *given;
    memcpy(header.magic, FORMAT_MAGIC, sizeof header.magic);
    header.version = FORMAT_VERSION;
    header.crc = crc32c(&header, offsetof(struct format_file, crc));
    return writer_write_all(w, &header, sizeof header);
}

struct error *writer_open(int dir, const char *name, const struct format_file *header,
                          struct writer **ret)
{
    _cleanup_(writer_destroyp) struct writer *w = xalloc(sizeof *w);
    *w = (struct writer){.fd = -1, .name = xformat("%s", name), .zstd = ZSTD_createCCtx()};
    w->raw = xalloc(CHUNK_RAW_MOST);
    w->stored = xalloc(sizeof(struct format_chunk) + ZSTD_compressBound(CHUNK_RAW_MOST));
    w->fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (w->fd < 0)
        return error_errno(errno, "making %s", name);
    struct error *err = write_header(w, header);
    if (err)
        return err;
    *ret = take(w);
    return NULL;
}

void writer_destroy(struct writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    ZSTD_freeCCtx(w->zstd);
    free(w->raw);
    free(w->stored);
    free(w->name);
    free(w);
}

/* Fills `stored` after the header; without compression if that does not help. */
static void writer_compress(struct writer *w, int level, u32 *flags, u32 *size)
{
    u8 *to = w->stored + sizeof(struct format_chunk);
    size_t n = ZSTD_compressCCtx(w->zstd, to, ZSTD_compressBound(CHUNK_RAW_MOST), w->raw,
                                 w->raw_used, level);
    if (!ZSTD_isError(n) && n < w->raw_used) {
        *flags = CHUNK_ZSTD;
        *size = (u32)n;
        return;
    }
    memcpy(to, w->raw, w->raw_used);
    *flags = 0;
    *size = (u32)w->raw_used;
}

/* Writes a chunk whose bytes, if any, are in `stored`, after room for this header. */
static struct error *write_chunk(struct writer *w, struct format_chunk *chunk)
{
    chunk->magic = CHUNK_MAGIC;
    chunk->crc = crc32c(w->stored + sizeof *chunk, chunk->stored_size);
    chunk->header_crc = crc32c(chunk, offsetof(struct format_chunk, header_crc));
    memcpy(w->stored, chunk, sizeof *chunk);
    return writer_write_all(w, w->stored, sizeof *chunk + chunk->stored_size);
}

static struct error *write_pending(struct writer *w, int level)
{
    if (w->raw_used == 0)
        return NULL;
    struct error *err = check_linked(w);
    if (err)
        return err;
    struct format_chunk chunk = {
        .raw_size = (u32)w->raw_used,
        .first_event = w->first_event,
        .first_tick = w->first_tick,
    };
    writer_compress(w, level, &chunk.flags, &chunk.stored_size);
    err = write_chunk(w, &chunk);
    if (err)
        return err;
    w->raw_bytes += w->raw_used;
    w->first_event = w->events;
    w->raw_used = 0;
    return NULL;
}

void writer_tail(struct writer *w, const struct event *e)
{
    u8 bytes[sizeof(struct format_chunk) + 256];
    struct format_chunk chunk = {
        .magic = CHUNK_MAGIC, .raw_size = e->size, .stored_size = e->size,
        .first_event = w->events, .first_tick = e->tick, .crc = crc32c(e, e->size),
    };
    u64 size = sizeof chunk + e->size;
    assert(w->raw_used == 0 && size <= sizeof bytes);
    chunk.header_crc = crc32c(&chunk, offsetof(struct format_chunk, header_crc));
    memcpy(bytes, &chunk, sizeof chunk);
    memcpy(bytes + sizeof chunk, e, e->size);
    if (w->torn || w->tail > size)
        return;
    w->tail = pwrite(w->fd, bytes, size, (off_t)w->stored_bytes) == (ssize_t)size ? size : 0;
    if (!w->tail)
        w->torn = ftruncate(w->fd, (off_t)w->stored_bytes) < 0;
}

u8 *writer_room(struct writer *w)
{
    invariant(2, w->raw_used < CHUNK_RAW_WANTED);
    return w->raw + w->raw_used;
}

struct error *writer_commit(struct writer *w, u64 size, bool hurry)
{
    u64 at = 0;
    invariant(2, w->raw_used < CHUNK_RAW_WANTED && size <= CHUNK_RAW_MOST - w->raw_used);
    if (size > 0 && w->raw_used == 0)
        w->first_tick = ((const struct event *)w->raw)->tick;
    for (; at < size; w->events++)
        at += ((const struct event *)(w->raw + w->raw_used + at))->size;
    assert(at == size);
    w->raw_used += size;
    /* A chunk must not exceed CHUNK_RAW_MOST, and the room after it must stay: (2). */
    return w->raw_used >= CHUNK_RAW_WANTED ? write_pending(w, hurry ? LEVEL_HURRY : LEVEL) : NULL;
}

struct error *writer_flush(struct writer *w)
{
    return write_pending(w, LEVEL);
}

struct error *writer_close(struct writer *w)
{
    struct error *err = write_pending(w, LEVEL);
    struct format_chunk last = {.flags = CHUNK_LAST, .first_event = w->events};
    if (!err)
        err = check_linked(w);
    if (!err)
        err = write_chunk(w, &last);
    if (close(w->fd) < 0 && !err)
        err = error_errno(errno, "closing %s", w->name);
    w->fd = -1;
    writer_destroy(w);
    return err;
}

u64 writer_events(const struct writer *w)
{
    return w->events;
}

u64 writer_raw(const struct writer *w)
{
    return w->raw_bytes + w->raw_used;
}

u64 writer_stored(const struct writer *w)
{
    return w->stored_bytes;
}

u64 writer_pending(const struct writer *w)
{
    return w->raw_used;
}
