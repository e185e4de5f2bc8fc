/* Files with holes: see the header. */
#include "base/file_data.h"

#include <errno.h>
#include <unistd.h>

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
