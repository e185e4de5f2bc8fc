/* Reads one track: see the header, and log/format.h for what it reads.
 *
 * The file is read with pread, a chunk at a time, and never mapped, since it may shrink at any
 * time. Sizes in it are used only after the checksum of the chunk's header was verified and they
 * are within the format's limits, so no file makes the reader use more memory than two chunks.
 */
#include "log/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "log/crc32c.h"
#include "log/event.h"

struct reader {
    int fd;
    /* position of the track in the file; if the track is the whole file, size is not known in
     * advance */
    u64 first, size;
    char *name;
    struct format_file header;
    ZSTD_DCtx *zstd;
    u8 *raw, *stored;
    u64 stored_room;

    u64 at;                  /* file offset after the chunk in raw */
    u64 raw_size, raw_at;    /* size of the chunk in raw; offset of the next event */
    u64 events, chunks, raw_bytes;
    bool ended;
    char *cut;

    u64 realtime, frequency, start_stamp, stamp; /* for the clock: see reader_time */
};

static void reader_closep(struct reader **r)
{
    reader_close(*r);
}

void reader_close(struct reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    ZSTD_freeDCtx(r->zstd);
    free(r->raw);
    free(r->stored);
    free(r->cut);
    free(r->name);
    free(r);
}

/* Reads up to `size` bytes at `at`; *ret is how many there were. */
static struct error *reader_read_at(struct reader *r, u64 at, void *to, u64 size, u64 *ret)
{
    u64 got = 0, left = at < r->size ? r->size - at : 0;
    if (size > left)
        size = left;
    while (got < size) {
        ssize_t n = pread(r->fd, (u8 *)to + got, size - got, (off_t)(r->first + at + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_errno(errno, "reading %s", r->name);
        if (n == 0)
            break;
        got += (u64)n;
    }
    *ret = got;
    return NULL;
}

static struct error *bad(struct reader *r, const char *what)
{
    r->ended = true;
    if (!r->events)
        return error_coded(ERROR_DAMAGED, "%s is damaged at byte %llu, before its first event: %s",
                           r->name, (unsigned long long)r->at, what);
    return error_coded(ERROR_DAMAGED, "%s is damaged at byte %llu, after event %llu: %s", r->name,
                       (unsigned long long)r->at, (unsigned long long)r->events - 1, what);
}

static struct error *reader_read_header(struct reader *r)
{
    struct format_file *h = &r->header;
    u64 got;
    struct error *err = reader_read_at(r, 0, h, sizeof *h, &got);
    if (err)
        return err;
    if (got < sizeof h->magic || memcmp(h->magic, FORMAT_MAGIC, sizeof h->magic) != 0)
        return error_new("%s is not a track of a recording", r->name);
    if (got < sizeof *h)
        return error_new("%s is cut in its header", r->name);
    if (h->version < FORMAT_OLDEST || h->version > FORMAT_VERSION)
        return error_new("%s has version %u of the format; this ebb reads %u to %u", r->name,
                         h->version, FORMAT_OLDEST, FORMAT_VERSION);
    if (h->crc != crc32c(h, offsetof(struct format_file, crc)))
        return error_coded(ERROR_DAMAGED, "%s has a damaged header", r->name);
    r->at = sizeof *h;
    return NULL;
}

/* Takes ownership of `fd`. */
static struct error *open_at(int fd, u64 first, u64 size, const char *name, struct reader **ret)
{
    _cleanup_(reader_closep) struct reader *r = xalloc(sizeof *r);
    *r = (struct reader){.fd = fd, .first = first, .size = size, .name = xformat("%s", name)};
    struct error *err = reader_read_header(r);
    if (err)
        return err;
    r->zstd = ZSTD_createDCtx();
    r->raw = xalloc(CHUNK_RAW_MOST);
    r->stored_room = ZSTD_compressBound(CHUNK_RAW_MOST);
    r->stored = xalloc(r->stored_room);
    *ret = take(r);
    return NULL;
}

struct error *reader_open(int dir, const char *name, struct reader **ret)
{
    /* opening a fifo must not block */
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_errno(errno, "opening %s", name);
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return error_new("%s is not a file", name);
    }
    return open_at(fd, 0, INT64_MAX, name, ret);
}

struct error *reader_open_part(int fd, u64 at, u64 size, const char *name, struct reader **ret)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* only pread is used, so the offset may be shared */
    if (own < 0)
        return error_errno(errno, "opening %s", name);
    return open_at(own, at, size, name, ret);
}

const struct format_file *reader_header(const struct reader *r)
{
    return &r->header;
}

static void end_cut(struct reader *r, const char *where)
{
    r->ended = true;
    r->cut = xformat("%s is cut at byte %llu, %s, after %llu events", r->name,
                     (unsigned long long)r->at, where, (unsigned long long)r->events);
}

static const char *chunk_malformed(const struct reader *r, const struct format_chunk *c)
{
    if (c->magic != CHUNK_MAGIC)
        return "no chunk begins here";
    if (c->header_crc != crc32c(c, offsetof(struct format_chunk, header_crc)))
        return "the checksum of a chunk's header is wrong";
    if (c->first_event != r->events)
        return "a chunk is out of order";
    if (c->flags == CHUNK_LAST)
        return c->raw_size || c->stored_size ? "the last chunk is not empty" : NULL;
    if (c->flags & ~(u32)CHUNK_ZSTD)
        return "a chunk is stored in a way this ebb does not know";
    if (c->raw_size == 0 || c->raw_size > CHUNK_RAW_MOST || c->raw_size % EVENT_ALIGN ||
        c->stored_size > r->stored_room)
        return "a chunk has a size that cannot be";
    if (!(c->flags & CHUNK_ZSTD) && c->stored_size != c->raw_size)
        return "a chunk has two sizes";
    return NULL;
}

static const char *reader_unpack(struct reader *r, const struct format_chunk *c)
{
    if (c->crc != crc32c(r->stored, c->stored_size))
        return "the checksum of a chunk is wrong";
    if (!(c->flags & CHUNK_ZSTD)) {
        memcpy(r->raw, r->stored, c->raw_size);
        return NULL;
    }
    size_t n = ZSTD_decompressDCtx(r->zstd, r->raw, c->raw_size, r->stored, c->stored_size);
    if (ZSTD_isError(n) || n != c->raw_size)
        return "a chunk cannot be decompressed";
    return NULL;
}

/* Reads the bytes after a valid header and makes them the current chunk. */
static struct error *read_chunk_bytes(struct reader *r, const struct format_chunk *c)
{
    u64 got;
    struct error *err = reader_read_at(r, r->at + sizeof *c, r->stored, c->stored_size, &got);
    if (err)
        return err;
    if (got < c->stored_size) {
        end_cut(r, "in a chunk");
        return NULL;
    }
    const char *wrong = reader_unpack(r, c);
    if (!wrong && c->first_tick != ((const struct event *)r->raw)->tick)
        wrong = "a chunk's first tick is not that of its first event";
    if (wrong)
        return bad(r, wrong);
    r->at += sizeof *c + c->stored_size;
    r->raw_size = c->raw_size;
    r->raw_at = 0;
    r->raw_bytes += c->raw_size;
    r->chunks++;
    return NULL;
}

static struct error *reader_read_end(struct reader *r)
{
    u8 more;
    u64 got;
    r->at += sizeof(struct format_chunk);
    struct error *err = reader_read_at(r, r->at, &more, 1, &got);
    if (!err && got)
        err = bad(r, "something follows the last chunk");
    r->ended = true;
    return err;
}

/* Reads the next chunk; sets r->ended if there is none. */
static struct error *read_chunk(struct reader *r)
{
    struct format_chunk c;
    u64 got;
    struct error *err = reader_read_at(r, r->at, &c, sizeof c, &got);
    if (err)
        return err;
    if (got < sizeof c) {
        end_cut(r, got ? "in the header of a chunk" : "between two chunks");
        return NULL;
    }
    const char *wrong = chunk_malformed(r, &c);
    if (wrong)
        return bad(r, wrong);
    return c.flags == CHUNK_LAST ? reader_read_end(r) : read_chunk_bytes(r, &c);
}

static void note_time(struct reader *r, const struct event *e)
{
    if (e->time)
        r->stamp = e->time;
    if (e->kind != EVENT_START)
        return;
    const struct event_start *start = (const struct event_start *)e->payload;
    r->realtime = start->realtime;
    r->frequency = start->frequency;
    r->start_stamp = e->time;
}

static const char *misplaced(const struct reader *r, const struct event *e)
{
    if ((r->events == 0) == (e->kind == EVENT_START))
        return NULL;
    return r->events == 0 ? "the track does not begin with a START" : "a second START";
}

struct error *reader_next(struct reader *r, const struct event **ret)
{
    *ret = NULL;
    while (r->raw_at == r->raw_size && !r->ended) {
        struct error *err = read_chunk(r);
        if (err)
            return err;
    }
    if (r->ended)
        return NULL;
    const struct event *e = (const struct event *)(r->raw + r->raw_at);
    const char *wrong = event_malformed(e, r->raw_size - r->raw_at);
    if (!wrong)
        wrong = misplaced(r, e);
    if (wrong) {
        r->ended = true;
        return error_new("event %llu of %s is malformed: %s", (unsigned long long)r->events,
                         r->name, wrong);
    }
    if (event_unknown(e)) {
        r->ended = true;
        return error_new(
            "event %llu of %s is of kind %u, which this ebb does not know: a newer ebb recorded it",
            (unsigned long long)r->events, r->name, e->kind);
    }
    r->raw_at += e->size;
    r->events++;
    note_time(r, e);
    *ret = e;
    return NULL;
}

const char *reader_cut(const struct reader *r)
{
    return r->cut;
}

u64 reader_number(const struct reader *r)
{
    return r->events - 1;
}

u64 reader_time(const struct reader *r)
{
    if (!r->frequency)
        return r->realtime;
    u64 passed = r->stamp > r->start_stamp ? r->stamp - r->start_stamp : 0;
    return r->realtime + (u64)((unsigned __int128)passed * 1000000000u / r->frequency);
}

struct reader_figures reader_figures(const struct reader *r)
{
    return (struct reader_figures){r->events, r->chunks, r->raw_bytes, r->at};
}
