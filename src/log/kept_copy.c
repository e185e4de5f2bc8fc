/* Kept copies: see the header.
 *
 * A copy is read in portions, so its size does not matter, even if the file grows meanwhile.
 */
#include "log/kept_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file_data.h"
#include "base/xalloc.h"
#include "log/content_hash.h"
#include "log/crc32c.h"
#include "log/kept_index.h"

enum {
    PORTION = 1 << 20,
    LEVEL = 1,
    MEMORY_MOST = 64 << 20, /* larger files go to a disk, if there is one */
};

char *kept_copy_name(u32 copy, bool compressed)
{
    return xformat("files/%u%s", copy, compressed ? ".zst" : "");
}

static int kept_copy_write(int fd, const u8 *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
    return 0;
}

/* Reads all of `from` and hands each portion to `take`; the last one is empty. */
static int read_portions(int from, struct kept_content *ret,
                         int (*take)(void *context, const u8 *bytes, size_t size), void *context)
{
    struct content_hash hash;
    u8 *room = xalloc(PORTION);
    int error = 0;
    ssize_t n = 1;
    *ret = (struct kept_content){0};
    content_hash_init(&hash);
    while (!error && n) {
        n = file_data_read(from, room, PORTION, (off_t)ret->size);
        if (n < 0) {
            error = errno == EINTR ? 0 : errno;
            continue;
        }
        content_hash_add(&hash, room, (size_t)n);
        ret->crc = crc32c_more(ret->crc, room, (size_t)n);
        ret->size += (u64)n;
        error = take ? take(context, room, (size_t)n) : 0;
    }
    ret->hash = content_hash_result(&hash);
    free(room);
    return error;
}

int kept_content_of(int from, struct kept_content *ret)
{
    return read_portions(from, ret, NULL, NULL);
}

struct kept_copy_outlet {
    int fd;
    ZSTD_CCtx *zstd;
    u8 *room;
    u64 stored;
};

static int kept_copy_take(void *context, const u8 *bytes, size_t size)
{
    struct kept_copy_outlet *to = context;
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left = 1;
    int error = 0;
    while (!error && (in.pos < in.size || (!size && left))) {
        ZSTD_outBuffer out = {to->room, PORTION, 0};
        left = ZSTD_compressStream2(to->zstd, &out, &in, size ? ZSTD_e_continue : ZSTD_e_end);
        error = ZSTD_isError(left) ? ENOMEM : kept_copy_write(to->fd, to->room, out.pos);
        to->stored += out.pos;
    }
    return error;
}

int kept_copy_compress(int from, int to, struct kept_content *ret, u64 *ret_stored)
{
    struct kept_copy_outlet outlet = {to, ZSTD_createCCtx(), xalloc(PORTION), 0};
    ZSTD_CCtx_setParameter(outlet.zstd, ZSTD_c_compressionLevel, LEVEL);
    int error = read_portions(from, ret, kept_copy_take, &outlet);
    *ret_stored = outlet.stored;
    ZSTD_freeCCtx(outlet.zstd);
    free(outlet.room);
    return error;
}

/* Makes a file without a name, which disappears with its last descriptor. */
static int kept_copy_make_room(u64 stored)
{
    const char *tmp = getenv("TMPDIR");
    int fd = -1;
    if (stored > MEMORY_MOST / 4)
        fd = open(tmp && *tmp ? tmp : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("ebb", MFD_CLOEXEC);
}

/* `most` limits the size, so that a damaged copy cannot fill the disk. */
static struct error *kept_copy_inflate(int from, int to, u64 most)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    u8 *stored = xalloc(PORTION), *room = xalloc(PORTION);
    struct error *err = NULL;
    size_t left = 0;
    u64 total = 0;
    for (ssize_t n; !err && (n = read(from, stored, PORTION)) != 0;) {
        if (n < 0) {
            err = errno == EINTR ? NULL : error_errno(errno, "reading it");
            continue;
        }
        ZSTD_inBuffer in = {stored, (size_t)n, 0};
        bool full = true;
        while (!err && (in.pos < in.size || full)) {
            ZSTD_outBuffer out = {room, PORTION, 0};
            left = ZSTD_decompressStream(zstd, &out, &in);
            total += out.pos;
            int error = 0;
            if (ZSTD_isError(left) || total > most)
                err = error_coded(ERROR_DAMAGED, "it is damaged");
            else if ((error = kept_copy_write(to, room, out.pos)))
                err = error_errno(error, "decompressing it");
            full = out.pos == out.size && left; /* 0: the frame is complete */
        }
    }
    if (!err && (left || total != most))
        err = error_coded(ERROR_DAMAGED, "it is damaged");
    free(stored);
    free(room);
    ZSTD_freeDCtx(zstd);
    return err;
}

static struct error *kept_copy_extract(int dir, u32 copy, int from, int *ret)
{
    u64 size;
    struct error *err = kept_index_size(dir, copy, &size);
    if (err)
        return err;
    int to = kept_copy_make_room((u64)lseek(from, 0, SEEK_END));
    lseek(from, 0, SEEK_SET);
    if (to < 0)
        return error_errno(errno, "making room for it");
    err = kept_copy_inflate(from, to, size);
    if (!err)
        err = kept_index_check(dir, copy, to);
    if (err) {
        close(to);
        return err;
    }
    *ret = to;
    return NULL;
}

struct error *kept_copy_open(int dir, u32 copy, int *ret)
{
    char *name = kept_copy_name(copy, true);
    int from = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct error *err = from < 0 ? error_errno(errno, "opening it")
                                 : kept_copy_extract(dir, copy, from, ret);
    if (from >= 0)
        close(from);
    if (err)
        err = error_within(err, "%s", name);
    free(name);
    return err;
}
