/* Copies of mapped files: see the header.
 *
 * The copy shares the file's blocks where the file system can do that (FICLONE), so that keeping a
 * large program costs next to nothing. Otherwise it is compressed, and shared with other recordings
 * that have the same content (log/copy_store.h). A file with large holes is copied without
 * compression, and without the holes.
 */
#include "recorder/recorder_files_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_data.h"
#include "base/xalloc.h"
#include "log/copy_store.h"
#include "log/kept_copy.h"
#include "log/kept_index.h"

static bool recorder_files_same(const struct channel_keep *a, const struct channel_keep *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->mtime == b->mtime;
}

static int recorder_files_write(int fd, const u8 *bytes, ssize_t size, off_t at)
{
    while (size > 0) {
        ssize_t n = pwrite(fd, bytes, (size_t)size, at);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            bytes += n;
            size -= n;
            at += n;
        }
    }
    return 0;
}

static int copy_stretch(int from, int to, off_t at, off_t end)
{
    enum { ROOM = 1 << 20 };
    u8 *room = xalloc(ROOM);
    int error = 0;
    ssize_t n = 1;
    while (!error && n && at < end) {
        n = file_data_read(from, room, end - at < ROOM ? (size_t)(end - at) : ROOM, at);
        if (n < 0) {
            error = errno == EINTR ? 0 : errno;
            continue;
        }
        error = recorder_files_write(to, room, n, at);
        at += n;
    }
    free(room);
    return error;
}

/* The position of the program's descriptor must not change: another descriptor is used to find
 * holes. */
static int copy_bytes(int from, int to, off_t size)
{
    char *name = xformat("/proc/self/fd/%d", from);
    int seeker = open(name, O_RDONLY | O_CLOEXEC);
    free(name);
    if (seeker < 0)
        return copy_stretch(from, to, 0, size);
    int error = 0;
    off_t start, end = 0;
    while (!error && file_data_next(seeker, end, &start, &end))
        error = copy_stretch(from, to, start, end);
    close(seeker);
    if (!error && ftruncate(to, size) < 0)
        error = errno;
    return error;
}

static int copy_plainly(const struct recording *rec, u32 number, int from, off_t size, bool *done)
{
    char *name = kept_copy_name(number, false);
    int to = openat(rec->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = to < 0 ? errno : 0;
    if (!error) {
        bool cloned = ioctl(to, FICLONE, from) == 0;
        *done |= cloned;
        if (!cloned && *done)
            error = copy_bytes(from, to, size);
        if (!error && *done)
            error = kept_index_add(rec->dir, number, to);
        if (close(to) < 0 && !error)
            error = errno;
        if (error || !*done)
            unlinkat(rec->dir, name, 0);
    }
    free(name);
    return error;
}

static int compress_file(const struct recording *rec, const char *name, int from,
                         struct kept_content *ret, u64 *ret_stored)
{
    int to = openat(rec->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = to < 0 ? errno : kept_copy_compress(from, to, ret, ret_stored);
    if (to >= 0 && close(to) < 0 && !error)
        error = errno;
    if (error)
        unlinkat(rec->dir, name, 0);
    return error;
}

/* The content may be known by the file's times; otherwise the file is read once to look it up. */
static bool share_file(int store, const struct recording *rec, const char *name, int from,
                       const struct stat *st, struct kept_content *ret)
{
    if (store < 0)
        return false;
    if (copy_store_know(store, st, ret))
        return copy_store_take(store, ret, rec->dir, name);
    if (kept_content_of(from, ret) != 0 || !copy_store_take(store, ret, rec->dir, name))
        return false;
    copy_store_learn(store, st, ret);
    return true;
}

static int share_or_compress(struct recorder_files *files, const struct recording *rec, u32 number,
                             int from, const struct stat *st)
{
    char *name = kept_copy_name(number, true);
    struct kept_content content = {0};
    u64 stored = 0;
    int error = 0;
    if (!files->store)
        files->store = copy_store_open(rec->dir);
    if (!share_file(files->store, rec, name, from, st, &content)) {
        error = compress_file(rec, name, from, &content, &stored);
        if (!error) {
            copy_store_put(files->store, &content, rec->dir, name);
            copy_store_learn(files->store, st, &content);
        }
    }
    if (!error)
        error = kept_index_add_measured(rec->dir, number, content.size, content.crc);
    if (error)
        unlinkat(rec->dir, name, 0);
    free(name);
    files->bytes += stored;
    return error;
}

/* Holes of a few pages compress well. */
static bool has_large_holes(const struct stat *st)
{
    enum { ALLOWED = 16 << 20 };
    return (u64)st->st_size > (u64)st->st_blocks * 512 + ALLOWED;
}

static int copy_file(struct recorder_files *files, const struct recording *rec, u32 number,
                     int from, off_t size)
{
    struct stat st;
    if (fstat(from, &st) < 0)
        return errno;
    bool done = has_large_holes(&st);
    int error = copy_plainly(rec, number, from, size, &done);
    return error || done ? error : share_or_compress(files, rec, number, from, &st);
}

static void recorder_files_remember(struct recorder_files *files, const struct channel_keep *keep)
{
    struct channel_keep *longer = xalloc((files->count + 1) * sizeof *longer);
    if (files->count)
        memcpy(longer, files->kept, files->count * sizeof *longer);
    longer[files->count++] = *keep;
    free(files->kept);
    files->kept = longer;
}

int recorder_files_keep(struct recorder_files *files, const struct recording *rec,
                        const struct channel_keep *keep, int fd, u32 *ret)
{
    for (u32 i = 0; i < files->count; i++) {
        if (recorder_files_same(&files->kept[i], keep)) {
            *ret = i + 1;
            return 0;
        }
    }
    int error = copy_file(files, rec, files->count + 1, fd, (off_t)keep->size);
    if (error)
        return error;
    recorder_files_remember(files, keep);
    *ret = files->count;
    return 0;
}

void recorder_files_deinit(struct recorder_files *files)
{
    free(files->kept);
    if (files->store > 0)
        close(files->store);
}
