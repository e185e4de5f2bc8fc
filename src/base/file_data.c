/* The content of files: see the header.
 *
 * The kernel tells watchers about reads, but not about page faults. So a part of the file is mapped
 * and copied from there: by the kernel, since a file that becomes shorter meanwhile would raise
 * SIGBUS here.
 */
#include "base/file_data.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t file_data_copy(const void *from, void *to, size_t size)
{
    struct iovec source = {(void *)(uintptr_t)from, size}, target = {to, size};
    return process_vm_readv(getpid(), &target, 1, &source, 1, 0);
}

ssize_t file_data_read(int fd, void *to, size_t size, off_t at)
{
    struct stat st;
    off_t before = at % sysconf(_SC_PAGESIZE);
    /* files of /proc have no size */
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size || at < 0)
        return pread(fd, to, size, at);
    if (at >= st.st_size)
        return 0;
    if ((off_t)size > st.st_size - at)
        size = (size_t)(st.st_size - at);
    size_t mapped = size + (size_t)before;
    char *from = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, at - before);
    if (from == MAP_FAILED)
        return pread(fd, to, size, at);
    ssize_t n = file_data_copy(from + before, to, size);
    munmap(from, mapped);
    return n > 0 ? n : pread(fd, to, size, at);
}

bool file_data_next(int fd, off_t from, off_t *ret_start, off_t *ret_end)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (from >= size)
        return false;
    off_t start = lseek(fd, from, SEEK_DATA);
    if (start < 0 && errno == ENXIO)
        return false;
    if (start < 0)
        start = from;
    off_t end = lseek(fd, start, SEEK_HOLE);
    *ret_start = start;
    *ret_end = end > start ? end : size;
    return true;
}
