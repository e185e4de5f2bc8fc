/* Copies of mapped files: see the header.
 *
 * The copy shares the file's blocks where the file system can do that (FICLONE), so that keeping
 * a large program costs next to nothing; else the bytes are copied.
 */
#include "front/cli/record_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/kept_index.h"

static bool same(const struct channel_keep *a, const struct channel_keep *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->mtime == b->mtime;
}

static int write_all(int fd, const u8 *bytes, ssize_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, (size_t)size);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            bytes += n;
            size -= n;
        }
    }
    return 0;
}

static int copy_bytes(int from, int to)
{
    enum { ROOM = 1 << 20 };
    u8 *room = xalloc(ROOM);
    int error = 0;
    off_t at = 0;
    for (ssize_t n; !error; at += n) {
        n = pread(from, room, ROOM, at);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            n = 0;
        else
            error = n < 0 ? errno : write_all(to, room, n);
    }
    free(room);
    return error;
}

static int copy_file(const struct recording *rec, u32 number, const char *name, int from)
{
    int to = openat(rec->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        return errno;
    int error = ioctl(to, FICLONE, from) == 0 ? 0 : copy_bytes(from, to);
    if (!error)
        error = kept_index_add(rec->dir, number, to);
    if (close(to) < 0 && !error)
        error = errno;
    if (error)
        unlinkat(rec->dir, name, 0);
    return error;
}

static void remember(struct record_files *files, const struct channel_keep *keep)
{
    struct channel_keep *longer = xalloc((files->count + 1) * sizeof *longer);
    if (files->count)
        memcpy(longer, files->kept, files->count * sizeof *longer);
    longer[files->count++] = *keep;
    free(files->kept);
    files->kept = longer;
    files->bytes += keep->size;
}

int record_files_keep(struct record_files *files, const struct recording *rec,
                      const struct channel_keep *keep, int fd, u32 *ret)
{
    for (u32 i = 0; i < files->count; i++) {
        if (same(&files->kept[i], keep)) {
            *ret = i + 1;
            return 0;
        }
    }
    char *name = xformat("files/%u", files->count + 1);
    int error = copy_file(rec, files->count + 1, name, fd);
    free(name);
    if (error)
        return error;
    remember(files, keep);
    *ret = files->count;
    return 0;
}

void record_files_deinit(struct record_files *files)
{
    free(files->kept);
}
