/* The index of kept files: see the header. */
#include "log/kept_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_data.h"
#include "base/xalloc.h"
#include "log/crc32c.h"

struct kept_file {
    u64 size;
    u32 crc;
};

static void measure_hole(struct kept_file *kept, u64 end)
{
    kept->crc = crc32c_zeros(kept->crc, end - kept->size);
    kept->size = end;
}

/* Measures up to `end`, or to the end of the file if that is shorter now; returns 0 or an errno. */
static int measure_data(int fd, struct kept_file *kept, u64 end)
{
    enum { ROOM = 1 << 20 };
    u8 *room = xalloc(ROOM);
    ssize_t n = 1;
    while (n && kept->size < end) {
        u64 left = end - kept->size;
        n = pread(fd, room, left < ROOM ? left : ROOM, (off_t)kept->size);
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0) {
            kept->crc = crc32c_more(kept->crc, room, (size_t)n);
            kept->size += (u64)n;
        }
    }
    free(room);
    return n < 0 ? errno : 0;
}

/* Returns 0 or an errno. Afterwards the descriptor is positioned at the beginning. */
static int kept_index_measure(int fd, struct kept_file *ret)
{
    struct kept_file kept = {0};
    off_t start, end;
    int error = 0;
    while (!error && file_data_next(fd, (off_t)kept.size, &start, &end)) {
        measure_hole(&kept, (u64)start);
        error = measure_data(fd, &kept, (u64)end);
        if (kept.size < (u64)end)
            break;
    }
    off_t size = lseek(fd, 0, SEEK_END);
    if (size > (off_t)kept.size && !error)
        measure_hole(&kept, (u64)size);
    lseek(fd, 0, SEEK_SET);
    *ret = kept;
    return error;
}

int kept_index_add(int dir, u32 copy, int fd)
{
    struct kept_file kept;
    int error = kept_index_measure(fd, &kept);
    return error ? error : kept_index_add_measured(dir, copy, kept.size, kept.crc);
}

int kept_index_add_measured(int dir, u32 copy, u64 size, u32 crc)
{
    int index = openat(dir, KEPT_INDEX, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (index < 0)
        return errno;
    char *line = xformat("%u %llu %08x\n", copy, (unsigned long long)size, crc);
    size_t length = strlen(line);
    ssize_t n = write(index, line, length);
    int error = n < 0 ? errno : n != (ssize_t)length ? ENOSPC : 0;
    free(line);
    close(index);
    return error;
}

static bool kept_index_find(FILE *index, u32 copy, struct kept_file *ret)
{
    char line[128];
    while (fgets(line, sizeof line, index)) {
        unsigned number, crc;
        unsigned long long size;
        if (sscanf(line, "%u %llu %8x\n", &number, &size, &crc) == 3 && number == copy) {
            *ret = (struct kept_file){size, crc};
            return true;
        }
    }
    return false;
}

static struct error *look_up(int dir, u32 copy, struct kept_file *ret)
{
    int descriptor = openat(dir, KEPT_INDEX, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
        return error_errno(errno, "opening " KEPT_INDEX);
    FILE *index = fdopen(descriptor, "r");
    if (!index) {
        close(descriptor);
        return error_errno(ENOMEM, "reading " KEPT_INDEX);
    }
    bool there = kept_index_find(index, copy, ret);
    fclose(index);
    return there ? NULL : error_new(KEPT_INDEX " does not have files/%u", copy);
}

struct error *kept_index_size(int dir, u32 copy, u64 *ret)
{
    struct kept_file kept;
    struct error *err = look_up(dir, copy, &kept);
    if (!err)
        *ret = kept.size;
    return err;
}

struct error *kept_index_check(int dir, u32 copy, int fd)
{
    struct kept_file wanted, found;
    struct error *err = look_up(dir, copy, &wanted);
    if (err)
        return err;
    int error = kept_index_measure(fd, &found);
    if (error)
        return error_errno(error, "reading files/%u", copy);
    if (found.size != wanted.size || found.crc != wanted.crc)
        return error_coded(ERROR_DAMAGED, "files/%u is damaged", copy);
    return NULL;
}
