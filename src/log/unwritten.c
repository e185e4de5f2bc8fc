/* Which memory was not written between snapshots: see the header.
 *
 * Ranges are stored as pairs of numbers of pages: from the end of the range before, and its length,
 * each in the variable-length form of LEB128. So a record has three to four bytes for each range.
 */
#include "log/unwritten.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/crc32c.h"
#include "log/pack.h"

enum {
    PAGE = 4096,
    RANGES_MOST = 4096,    /* of a record */
    NUMBER_MOST = 10,      /* bytes of a number */
    FILE_MOST = 256 << 20, /* a longer file is not read */
};

#define UNWRITTEN_MAGIC "ebbunwr\1" /* without the null terminator */

struct unwritten_header {
    char magic[8];
    u8 id[16]; /* of the recording */
};

struct unwritten_record {
    u32 size; /* of the record with its ranges */
    u32 crc;  /* of what follows */
    u64 from_tick, from_pc, to_tick, to_pc, events_met;
    u64 ranges;
};
_Static_assert(sizeof(struct unwritten_record) == 56, "on disk");

char *unwritten_name(u32 track)
{
    return xformat("unwritten-%u", track);
}

bool unwritten_names(const char *name)
{
    u32 track;
    int length = 0;
    return sscanf(name, "unwritten-%u%n", &track, &length) == 1 && !name[length];
}

/* --- writing -------------------------------------------------------------------------------- */

static u8 *put_number(u8 *to, u64 number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (u8)(number | 0x80);
    *to++ = (u8)number;
    return to;
}

static int longest_first(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Returns the length up to which ranges are left out. */
static u64 length_left_out(const struct unwritten_stretch *s)
{
    if (s->count <= RANGES_MOST)
        return 0;
    u64 *lengths = xalloc(s->count * sizeof *lengths);
    for (size_t n = 0; n < s->count; n++)
        lengths[n] = s->ranges[n].end - s->ranges[n].start;
    qsort(lengths, s->count, sizeof *lengths, longest_first);
    u64 ret = lengths[RANGES_MOST];
    free(lengths);
    return ret;
}

static struct unwritten_record *make_record(const struct unwritten_stretch *s)
{
    struct unwritten_record *r =
        xalloc(sizeof *r + (s->count < RANGES_MOST ? s->count : RANGES_MOST) * 2 * NUMBER_MOST);
    *r = (struct unwritten_record){.from_tick = s->from_tick, .from_pc = s->from_pc,
                                   .to_tick = s->to_tick, .to_pc = s->to_pc,
                                   .events_met = s->events_met};
    u64 shortest = length_left_out(s), end = 0;
    u8 *to = (u8 *)(r + 1);
    for (size_t n = 0; n < s->count; n++) {
        const struct unwritten_range *range = &s->ranges[n];
        if (range->end - range->start <= shortest)
            continue;
        to = put_number(to, (range->start - end) / PAGE);
        to = put_number(to, (range->end - range->start) / PAGE);
        end = range->end;
        r->ranges++;
    }
    r->size = (u32)(to - (u8 *)r);
    r->crc = crc32c(&r->from_tick, r->size - offsetof(struct unwritten_record, from_tick));
    return r;
}

static bool append_all(int fd, const void *bytes, size_t size)
{
    return write(fd, bytes, size) == (ssize_t)size;
}

struct error *unwritten_append(int dir, const u8 id[16], u32 track,
                               const struct unwritten_stretch *s, u64 *ret_bytes)
{
    struct unwritten_header header = {UNWRITTEN_MAGIC, {0}};
    struct stat st;
    char *name = unwritten_name(track);
    struct unwritten_record *r = make_record(s);
    memcpy(header.id, id, sizeof header.id);
    *ret_bytes = 0;
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool done = fd >= 0 && fstat(fd, &st) == 0 &&
                (st.st_size || append_all(fd, &header, sizeof header)) &&
                append_all(fd, r, r->size);
    struct error *err = done ? NULL : error_errno(errno, "writing %s", name);
    if (done)
        *ret_bytes = r->size + (st.st_size ? 0 : sizeof header);
    if (fd >= 0)
        close(fd);
    free(r);
    free(name);
    return err;
}

/* --- reading -------------------------------------------------------------------------------- */

static const u8 *get_number(const u8 *at, const u8 *end, u64 *ret)
{
    u64 number = 0;
    for (unsigned shift = 0; at && at < end && shift < 64; shift += 7) {
        number |= (u64)(*at & 0x7f) << shift;
        if (!(*at++ & 0x80)) {
            *ret = number;
            return at;
        }
    }
    return NULL;
}

/* False: they are not what was written. */
static bool read_ranges(const struct unwritten_record *r, const u8 *at,
                        struct unwritten_stretch *ret)
{
    const u8 *end = at + r->size - sizeof *r;
    u64 before = 0, pages = ~0ull / PAGE;
    for (; ret->count < r->ranges; ret->count++) {
        u64 away, length;
        at = get_number(at, end, &away);
        at = get_number(at, end, &length);
        if (!at || away > pages || length > pages - away)
            return false;
        pages -= away + length;
        struct unwritten_range *range = &ret->ranges[ret->count];
        range->start = before + away * PAGE;
        range->end = before = range->start + length * PAGE;
    }
    return at == end;
}

/* Reads the record at `at`; 0: there is none, or it is damaged. Otherwise returns its size. */
static size_t read_record(const u8 *at, size_t left, struct unwritten_stretch *ret)
{
    struct unwritten_record r;
    if (left < sizeof r)
        return 0;
    memcpy(&r, at, sizeof r);
    size_t before = offsetof(struct unwritten_record, from_tick);
    if (r.size < sizeof r || r.size > left || r.ranges > RANGES_MOST ||
        r.crc != crc32c(at + before, r.size - before))
        return 0;
    *ret = (struct unwritten_stretch){r.from_tick, r.from_pc, r.to_tick, r.to_pc, r.events_met,
                                      xalloc(r.ranges * sizeof *ret->ranges + 1), 0};
    if (read_ranges(&r, at + sizeof r, ret))
        return r.size;
    free(ret->ranges);
    return 0;
}

/* Returns the content of the file, to be freed; NULL: there is none. */
static u8 *read_file(const struct recording *rec, u32 track, size_t *ret_size)
{
    struct stat st;
    char *name = unwritten_name(track);
    const struct pack_item *item = rec->pack ? pack_part(rec->pack, name) : NULL;
    int fd = rec->pack ? -1 : openat(rec->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    u64 size = item ? item->size : fd >= 0 && fstat(fd, &st) == 0 ? (u64)st.st_size : 0;
    u8 *ret = size && size <= FILE_MOST ? xalloc(size) : NULL;
    ssize_t got = ret ? pread(item ? pack_descriptor(rec->pack) : fd, ret, size,
                              item ? (off_t)item->at : 0) : -1;
    free(name);
    if (fd >= 0)
        close(fd);
    *ret_size = got > 0 ? (size_t)got : 0;
    return ret;
}

struct unwritten_stretch *unwritten_read(const struct recording *rec, u32 track,
                                         size_t *ret_count)
{
    size_t size, used, room = 0;
    struct unwritten_stretch *ret = NULL, next;
    u8 *bytes = read_file(rec, track, &size);
    const struct unwritten_header *header = (const struct unwritten_header *)bytes;
    *ret_count = 0;
    if (size < sizeof *header || memcmp(header->magic, UNWRITTEN_MAGIC, sizeof header->magic) ||
        memcmp(header->id, rec->meta.id, sizeof header->id))
        size = 0;
    for (size_t at = sizeof *header; at < size; at += used) {
        used = read_record(bytes + at, size - at, &next);
        if (!used)
            break;
        if (*ret_count == room) {
            struct unwritten_stretch *longer = xalloc((room = 2 * room + 64) * sizeof *longer);
            if (*ret_count)
                memcpy(longer, ret, *ret_count * sizeof *longer);
            free(ret);
            ret = longer;
        }
        ret[(*ret_count)++] = next;
    }
    free(bytes);
    return ret;
}

void unwritten_free(struct unwritten_stretch *list, size_t count)
{
    for (size_t n = 0; n < count; n++)
        free(list[n].ranges);
    free(list);
}

bool unwritten_has(const struct unwritten_stretch *s, u64 address, u64 size)
{
    size_t low = 0, high = s->count;
    while (low < high) { /* the first range that ends after the address */
        size_t middle = low + (high - low) / 2;
        if (s->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->ranges[low].start <= address &&
           s->ranges[low].end - address >= size;
}
