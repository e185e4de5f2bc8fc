/* Copies of mapped files: see the header.
 *
 * The copy shares the file's blocks where the file system can do that (FICLONE), so that keeping
 * a large program costs next to nothing; else the bytes are copied, and the holes left out.
 */
#include "recorder/recorder_files_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file_data.h"
#include "base/xalloc.h"
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
        n = pread(from, room, end - at < ROOM ? (size_t)(end - at) : ROOM, at);
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

/* The position of the program's descriptor is the program's: to look for holes, another is made. */
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

static int copy_file(const struct recording *rec, u32 number, const char *name, int from,
                     off_t size)
{
    int to = openat(rec->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        return errno;
    int error = ioctl(to, FICLONE, from) == 0 ? 0 : copy_bytes(from, to, size);
    if (!error)
        error = kept_index_add(rec->dir, number, to);
    if (close(to) < 0 && !error)
        error = errno;
    if (error)
        unlinkat(rec->dir, name, 0);
    return error;
}

static void recorder_files_remember(struct recorder_files *files, const struct channel_keep *keep)
{
    struct channel_keep *longer = xalloc((files->count + 1) * sizeof *longer);
    if (files->count)
        memcpy(longer, files->kept, files->count * sizeof *longer);
    longer[files->count++] = *keep;
    free(files->kept);
    files->kept = longer;
    files->bytes += keep->size;
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
    char *name = xformat("files/%u", files->count + 1);
    int error = copy_file(rec, files->count + 1, name, fd, (off_t)keep->size);
    free(name);
    if (error)
        return error;
    recorder_files_remember(files, keep);
    *ret = files->count;
    return 0;
}

void recorder_files_deinit(struct recorder_files *files)
{
    free(files->kept);
}
