/* Making a packed recording: see pack.h.
 *
 * A content is hashed first; if the same content exists already, the item shares it. The file has a
 * temporary name until it is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "log/content_hash.h"
#include "log/crc32c.h"
#include "log/format.h"
#include "log/pack.h"
#include "log/pack_internal.h"

enum { ROOM = 256 * 1024, LEVEL = 7, WORKERS = 2 };

struct pack_writer {
    char *path, *temporary;
    bool replace;
    int fd;
    u64 at;
    ZSTD_CCtx *zstd;
    u8 *room; /* of ROOM bytes, compressed */
    struct pack_item *items;
    size_t count;
    struct pack_figures figures;
};

static void pack_writer_destroyp(struct pack_writer **w)
{
    pack_writer_destroy(*w);
}

static void pack_writer_freep(u8 **bytes)
{
    free(*bytes);
}

void pack_writer_destroy(struct pack_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    if (w->temporary)
        unlink(w->temporary);
    for (size_t i = 0; i < w->count; i++)
        free(w->items[i].name);
    ZSTD_freeCCtx(w->zstd);
    free(w->room);
    free(w->items);
    free(w->temporary);
    free(w->path);
    free(w);
}

static char *temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    return xformat("%.*s.%s.%d", folder, path, path + folder, (int)getpid());
}

struct error *pack_writer_create(const char *path, bool replace, struct pack_writer **ret)
{
    _cleanup_(pack_writer_destroyp) struct pack_writer *w = xalloc(sizeof *w);
    struct stat st;
    *w = (struct pack_writer){.path = xformat("%s", path), .replace = replace, .fd = -1,
                              .at = sizeof(struct pack_header)};
    bool exists = lstat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return error_new("%s is not a file that can be replaced", path);
    if (exists && !replace)
        return error_new("%s already exists; -f replaces it", path);
    char *temporary = temporary_name(path);
    w->fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (w->fd < 0) {
        struct error *err = error_errno(errno, "cannot write %s", path);
        free(temporary);
        return err;
    }
    w->temporary = temporary;
    w->room = xalloc(ROOM);
    w->zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    /* fails if zstd was built without threads, which is harmless */
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_nbWorkers, WORKERS);
    *ret = take(w);
    return NULL;
}

static struct error *pack_writer_put(struct pack_writer *w, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(w->fd, (const u8 *)bytes + done, size - done, (off_t)w->at);
        if (n < 0 && errno != EINTR)
            return error_errno(errno, "writing %s", w->path);
        if (n > 0) {
            done += (size_t)n;
            w->at += (u64)n;
        }
    }
    return NULL;
}

static struct error *pack_writer_compress(struct pack_writer *w, const u8 *bytes, size_t size,
                                          bool last)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    for (;;) {
        ZSTD_outBuffer out = {w->room, ROOM, 0};
        size_t left = ZSTD_compressStream2(w->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return error_new("compressing: %s", ZSTD_getErrorName(left));
        struct error *err = pack_writer_put(w, w->room, out.pos);
        if (err)
            return err;
        if (last ? left == 0 : in.pos == in.size)
            return NULL;
    }
}

/* Copies exactly item->size bytes of `fd`, which was just measured. The hash is computed again,
 * since the file may have changed. */
static struct error *put_content(struct pack_writer *w, struct pack_item *item, int fd)
{
    _cleanup_(pack_writer_freep) u8 *room = xalloc(ROOM);
    struct content_hash hash;
    struct error *err = NULL;
    content_hash_init(&hash);
    ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
    item->at = w->at;
    for (u64 left = item->size; left && !err;) {
        ssize_t n = pread(fd, room, left < ROOM ? left : ROOM, (off_t)hash.total);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? error_errno(errno, "reading %s", item->name)
                         : error_new("%s shrank while it was packed", item->name);
        content_hash_add(&hash, room, (size_t)n);
        left -= (u64)n;
        err = item->method == PACK_STORED ? pack_writer_put(w, room, (size_t)n)
                                          : pack_writer_compress(w, room, (size_t)n, false);
    }
    if (!err && item->method == PACK_ZSTD)
        err = pack_writer_compress(w, NULL, 0, true);
    if (!err && content_hash_result(&hash) != item->hash)
        err = error_new("%s changed while it was packed", item->name);
    item->stored = w->at - item->at;
    return err;
}

static const struct pack_item *find_content(const struct pack_writer *w,
                                            const struct pack_item *like)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].size == like->size && w->items[i].hash == like->hash &&
            (w->items[i].kind == PACK_PART) == (like->kind == PACK_PART))
            return &w->items[i];
    return NULL;
}

static void add_item(struct pack_writer *w, const struct pack_item *item)
{
    if (!(w->count & (w->count - 1))) { /* full only at powers of two */
        struct pack_item *longer = xalloc((w->count ? 2 * w->count : 1) * sizeof *longer);
        if (w->count)
            memcpy(longer, w->items, w->count * sizeof *longer);
        free(w->items);
        w->items = longer;
    }
    w->items[w->count] = *item;
    w->items[w->count++].name = xformat("%s", item->name);
    w->figures.items[item->kind]++;
}

struct error *pack_writer_add(struct pack_writer *w, const struct pack_item *about, int fd)
{
    struct pack_item item = *about;
    int error = content_hash_file(fd, &item.hash, &item.size);
    if (error)
        return error_errno(error, "reading %s", item.name);
    const struct pack_item *same = find_content(w, &item);
    struct error *err = NULL;
    /* Tracks are already compressed, and are read in place. */
    item.method = item.kind == PACK_PART || item.size == 0 ? PACK_STORED : PACK_ZSTD;
    if (same) {
        item.at = same->at;
        item.stored = same->stored;
        item.method = same->method;
    } else {
        err = put_content(w, &item, fd);
        w->figures.raw += item.size;
    }
    if (!err)
        add_item(w, &item);
    return err;
}

bool pack_writer_has(const struct pack_writer *w, u32 kind, const char *name)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].kind == kind && strcmp(w->items[i].name, name) == 0)
            return true;
    return false;
}

/* The end */

static u8 *print_index(const struct pack_writer *w, u64 *ret_size)
{
    static const u64 zero;
    char *bytes = NULL;
    size_t size;
    FILE *out = open_memstream(&bytes, &size);
    for (size_t i = 0; i < w->count; i++) {
        const struct pack_item *item = &w->items[i];
        struct pack_record r = {
            item->kind, item->method, item->at, item->stored, item->size, item->hash,
            item->device, item->inode, item->mtime, item->copy, (u32)strlen(item->name),
        };
        fwrite(&r, sizeof r, 1, out);
        fwrite(item->name, r.name_size, 1, out);
        fwrite(&zero, format_padded(r.name_size) - r.name_size, 1, out);
    }
    fclose(out);
    *ret_size = size;
    return (u8 *)bytes;
}

static struct error *put_index(struct pack_writer *w, struct pack_header *h)
{
    _cleanup_(pack_writer_freep) u8 *bytes = print_index(w, &h->index_size);
    h->index_at = w->at;
    h->index_hash = content_hash(bytes, h->index_size);
    ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
    struct error *err = pack_writer_compress(w, bytes, h->index_size, true);
    h->index_stored = w->at - h->index_at;
    return err;
}

static struct error *put_header(struct pack_writer *w, struct pack_header *h)
{
    memcpy(h->magic, PACK_MAGIC, sizeof h->magic);
    h->version = PACK_VERSION;
    h->size = w->at;
    h->crc = crc32c(h, offsetof(struct pack_header, crc));
    w->at = 0;
    struct error *err = pack_writer_put(w, h, sizeof *h);
    w->at = h->size;
    return err;
}

/* If the file system cannot rename without replacing, uses a link. */
static int move_in_place(const struct pack_writer *w)
{
    if (w->replace)
        return rename(w->temporary, w->path);
    if (renameat2(AT_FDCWD, w->temporary, AT_FDCWD, w->path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return link(w->temporary, w->path) < 0 ? -1 : unlink(w->temporary);
}

static int close_once(int *fd)
{
    int closing = *fd;
    *fd = -1;
    return close(closing);
}

struct error *pack_writer_finish(struct pack_writer *w, struct pack_figures *ret)
{
    struct pack_header header = {0};
    struct error *err = put_index(w, &header);
    if (!err)
        err = put_header(w, &header);
    if (!err && fsync(w->fd) < 0 && errno != EINVAL)
        err = error_errno(errno, "writing %s", w->path);
    if (!err && close_once(&w->fd) < 0)
        err = error_errno(errno, "writing %s", w->path);
    if (!err && move_in_place(w) < 0)
        err = errno == EEXIST ? error_new("%s already exists; -f replaces it", w->path)
                              : error_errno(errno, "making %s", w->path);
    if (err)
        return err;
    free(take(w->temporary));
    w->figures.size = header.size;
    *ret = w->figures;
    return NULL;
}
