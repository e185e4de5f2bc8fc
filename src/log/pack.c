/* Reading a packed recording: see the header.
 *
 * Nothing in the file is used before its checksum is verified: the header has a checksum of itself
 * and one of the index, and the index has one for the content of each item. The file is read with
 * pread and never mapped, since it may shrink at any time.
 *
 * Invariants
 *   (1) taken[i] is a sealed copy of the content of item i, or -1.
 */
#include "log/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/assert.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "log/content_hash.h"
#include "log/crc32c.h"
#include "log/format.h"
#include "log/pack_internal.h"

enum { SEALS = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL };
enum { ROOM = 256 * 1024, TEXT_MOST = 64 * 1024 * 1024, MEMORY_MOST = 256 * 1024 * 1024 };

struct pack {
    int fd;
    char *path;
    struct pack_header header;
    struct pack_item *items;
    int *taken;
    size_t count;
};

static void pack_freep(u8 **bytes)
{
    free(*bytes);
}

static void pack_closep(struct pack **p)
{
    pack_close(*p);
}

void pack_close(struct pack *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++) {
        free(p->items[i].name);
        if (p->taken[i] >= 0)
            close(p->taken[i]);
    }
    close(p->fd);
    free(p->items);
    free(p->taken);
    free(p->path);
    free(p);
}

static struct error *pack_read_at(const struct pack *p, u64 at, void *to, u64 size)
{
    for (u64 got = 0; got < size;) {
        ssize_t n = pread(p->fd, (u8 *)to + got, size - got, (off_t)(at + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_errno(errno, "reading %s", p->path);
        if (n == 0)
            return error_new("%s is cut: it has no byte %llu", p->path,
                             (unsigned long long)(at + got));
        got += (u64)n;
    }
    return NULL;
}

static struct error *damaged(const struct pack *p, const char *what)
{
    return error_coded(ERROR_DAMAGED, "%s is damaged: %s", p->path, what);
}

/* Header and index */

bool pack_recognise(int fd)
{
    u8 magic[8];
    return pread(fd, magic, sizeof magic, 0) == sizeof magic &&
           memcmp(magic, PACK_MAGIC, sizeof magic) == 0;
}

static struct error *pack_read_header(struct pack *p)
{
    struct pack_header *h = &p->header;
    struct stat st;
    if (fstat(p->fd, &st) < 0)
        return error_errno(errno, "looking at %s", p->path);
    struct error *err = pack_read_at(p, 0, h, sizeof *h);
    if (err)
        return err;
    if (h->version != PACK_VERSION)
        return error_new("%s has version %u of the packed format; this ebb reads %u", p->path,
                         h->version, PACK_VERSION);
    if (h->crc != crc32c(h, offsetof(struct pack_header, crc)))
        return damaged(p, "the checksum of its header is wrong");
    if ((u64)st.st_size < h->size)
        return error_new("%s is cut: it has %llu bytes of %llu", p->path,
                         (unsigned long long)st.st_size, (unsigned long long)h->size);
    if ((u64)st.st_size > h->size)
        return damaged(p, "something follows its end");
    if (h->index_at < sizeof *h || h->index_at > h->size ||
        h->index_stored != h->size - h->index_at || h->index_size > PACK_INDEX_MOST)
        return damaged(p, "its index cannot be where it should");
    return NULL;
}

static struct error *read_index(struct pack *p, u8 **ret)
{
    const struct pack_header *h = &p->header;
    _cleanup_(pack_freep) u8 *stored = xalloc(h->index_stored + 1);
    _cleanup_(pack_freep) u8 *bytes = xalloc(h->index_size + 1);
    struct error *err = pack_read_at(p, h->index_at, stored, h->index_stored);
    if (err)
        return err;
    size_t n = ZSTD_decompress(bytes, h->index_size, stored, h->index_stored);
    if (ZSTD_isError(n) || n != h->index_size)
        return damaged(p, "its index cannot be decompressed");
    if (content_hash(bytes, n) != h->index_hash)
        return damaged(p, "the checksum of its index is wrong");
    *ret = take(bytes);
    return NULL;
}

static bool fits(const struct pack *p, const struct pack_record *r, u64 left)
{
    return left >= sizeof *r && r->name_size && format_padded(r->name_size) <= left - sizeof *r &&
           r->method <= PACK_ZSTD && (r->method != PACK_STORED || r->stored == r->size) &&
           r->size < 1ul << 46 && r->at >= sizeof p->header && r->at <= p->header.index_at &&
           r->stored <= p->header.index_at - r->at;
}

static size_t count_records(const struct pack *p, const u8 *at, const u8 *end)
{
    size_t count = 0;
    while (at < end) {
        const struct pack_record *r = (const struct pack_record *)at;
        if (!fits(p, r, (u64)(end - at)))
            return 0;
        at += sizeof *r + format_padded(r->name_size);
        count++;
    }
    return count;
}

static struct pack_item item_of(const struct pack_record *r)
{
    return (struct pack_item){
        .kind = r->kind, .method = r->method, .at = r->at, .stored = r->stored, .size = r->size,
        .hash = r->hash, .device = r->device, .inode = r->inode, .mtime = r->mtime,
        .copy = r->copy, .name = xformat("%.*s", (int)r->name_size, (const char *)(r + 1)),
    };
}

static struct error *read_items(struct pack *p, const u8 *bytes)
{
    const u8 *at = bytes, *end = bytes + p->header.index_size;
    size_t count = count_records(p, at, end);
    if (!count)
        return damaged(p, "its index is malformed");
    p->items = xalloc(count * sizeof *p->items);
    p->taken = xalloc(count * sizeof *p->taken);
    for (; p->count < count; p->count++) {
        const struct pack_record *r = (const struct pack_record *)at;
        p->items[p->count] = item_of(r);
        p->taken[p->count] = -1;
        at += sizeof *r + format_padded(r->name_size);
    }
    return NULL;
}

struct error *pack_open(int fd, const char *path, struct pack **ret)
{
    _cleanup_(pack_closep) struct pack *p = xalloc(sizeof *p);
    _cleanup_(pack_freep) u8 *index = NULL;
    *p = (struct pack){.fd = fd, .path = xformat("%s", path)};
    struct error *err = pack_read_header(p);
    if (!err)
        err = read_index(p, &index);
    if (!err)
        err = read_items(p, index);
    if (err)
        return err;
    *ret = take(p);
    return NULL;
}

u64 pack_size(const struct pack *p)
{
    return p->header.size;
}

int pack_descriptor(const struct pack *p)
{
    return p->fd;
}

size_t pack_count(const struct pack *p)
{
    return p->count;
}

const struct pack_item *pack_item(const struct pack *p, size_t i)
{
    assert(i < p->count);
    return &p->items[i];
}

/* Finding */

static const struct pack_item *pack_find(const struct pack *p, u32 kind, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].kind == kind && strcmp(p->items[i].name, name) == 0)
            return &p->items[i];
    return NULL;
}

const struct pack_item *pack_part(const struct pack *p, const char *name)
{
    return pack_find(p, PACK_PART, name);
}

const struct pack_item *pack_mapped(const struct pack *p, const struct mapped_file_about *about)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct pack_item *item = &p->items[i];
        if (item->kind == PACK_MAPPED && item->copy == about->copy && item->size == about->size &&
            item->device == about->device && item->inode == about->inode &&
            item->mtime == about->mtime && strcmp(item->name, about->path) == 0)
            return item;
    }
    return NULL;
}

const struct pack_item *pack_named(const struct pack *p, const char *path)
{
    for (u32 kind = PACK_MAPPED; kind <= PACK_SOURCE; kind++) {
        const struct pack_item *item = pack_find(p, kind, path);
        if (item)
            return item;
    }
    return NULL;
}

/* Taking out */

struct outlet {
    int fd;
    struct content_hash hash;
    u8 *room; /* of ROOM bytes, decompressed */
};

static struct error *pour(struct outlet *to, const u8 *bytes, size_t size)
{
    content_hash_add(&to->hash, bytes, size);
    while (size) {
        ssize_t n = write(to->fd, bytes, size);
        if (n < 0 && errno != EINTR)
            return error_errno(errno, "making room for it");
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
    return NULL;
}

/* Decompresses one portion. */
static struct error *inflate(ZSTD_DCtx *zstd, const u8 *bytes, size_t size, u64 most,
                             struct outlet *to)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    bool full = true; /* there may be more output even when all input was read */
    while (in.pos < in.size || full) {
        ZSTD_outBuffer out = {to->room, ROOM, 0};
        if (ZSTD_isError(ZSTD_decompressStream(zstd, &out, &in)))
            return error_new("it cannot be decompressed");
        if (to->hash.total + out.pos > most)
            return error_new("it is larger than it should be");
        struct error *err = pour(to, to->room, out.pos);
        if (err)
            return err;
        full = out.pos == out.size;
    }
    return NULL;
}

static struct error *copy_out(const struct pack *p, const struct pack_item *item, ZSTD_DCtx *zstd,
                              struct outlet *to)
{
    _cleanup_(pack_freep) u8 *room = xalloc(ROOM);
    struct error *err = NULL;
    for (u64 at = 0; at < item->stored && !err;) {
        size_t part = item->stored - at < ROOM ? item->stored - at : ROOM;
        err = pack_read_at(p, item->at + at, room, part);
        if (!err)
            err = item->method == PACK_STORED ? pour(to, room, part)
                                              : inflate(zstd, room, part, item->size, to);
        at += part;
    }
    if (!err && (to->hash.total != item->size || content_hash_result(&to->hash) != item->hash))
        err = error_new("its checksum is wrong");
    return err;
}

/* Makes a file without a name, which disappears with its last descriptor. Large contents go to a
 * disk if there is one. */
static int pack_make_room(u64 size)
{
    const char *tmp = getenv("TMPDIR");
    int fd = -1;
    if (size > MEMORY_MOST)
        fd = open(tmp && *tmp ? tmp : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("ebb", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static struct error *take_out(struct pack *p, const struct pack_item *item, int *ret)
{
    struct outlet to = {.fd = pack_make_room(item->size)};
    if (to.fd < 0)
        return error_errno(errno, "making room for %s", item->name);
    content_hash_init(&to.hash);
    to.room = xalloc(ROOM);
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    struct error *err = copy_out(p, item, zstd, &to);
    ZSTD_freeDCtx(zstd);
    free(to.room);
    if (err) {
        close(to.fd);
        return error_within(err, "%s: %s", p->path, item->name);
    }
    fcntl(to.fd, F_ADD_SEALS, SEALS);
    *ret = to.fd;
    return NULL;
}

/* A large copy is a file without a name, which cannot be sealed; on a tmpfs it has only the seal
 * SEAL. */
static bool is_copy(int fd, const struct pack_item *item)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    bool sealed = seals < 0 || seals == F_SEAL_SEAL || (seals & SEALS) == SEALS;
    return sealed && fstat(fd, &st) == 0 && (u64)st.st_size == item->size;
}

/* Returns another descriptor with its own offset. */
static int open_again(int fd)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return open(name, O_RDONLY | O_CLOEXEC);
}

struct error *pack_extract(struct pack *p, const struct pack_item *item, int *ret)
{
    int *taken = &p->taken[item - p->items];
    assert(item >= p->items && item < p->items + p->count);
    struct error *err = *taken < 0 ? take_out(p, item, taken) : NULL;
    if (err)
        return err;
    invariant(1, is_copy(*taken, item));
    int fd = open_again(*taken);
    if (fd < 0) { /* without /proc: this one is given away, and made again next time */
        fd = *taken;
        *taken = -1;
        lseek(fd, 0, SEEK_SET);
    }
    *ret = fd;
    return NULL;
}

struct error *pack_text(struct pack *p, const struct pack_item *item, char **ret)
{
    int fd;
    if (item->size > TEXT_MOST)
        return damaged(p, "a text in it is too long");
    struct error *err = pack_extract(p, item, &fd);
    if (err)
        return err;
    char *text = xalloc(item->size + 1);
    ssize_t got = pread(fd, text, item->size, 0);
    text[got < 0 ? 0 : got] = '\0';
    close(fd);
    *ret = text;
    return NULL;
}
