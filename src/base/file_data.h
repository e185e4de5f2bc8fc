/* The content of files: the parts of a file that have data (a database may map a file of a terabyte
 * of which only some pages were written), and reading that a program cannot notice. */
#ifndef BASE_FILE_DATA_H
#define BASE_FILE_DATA_H

#include <stdbool.h>
#include <sys/types.h>

/* Finds the next range that is not a hole, at or after `from`; false: there is none. If the file
 * system does not know, the whole file is one range. Changes the descriptor's position. */
bool file_data_next(int fd, off_t from, off_t *ret_start, off_t *ret_end);

/* Like pread, but those who watch the file (inotify, fanotify) do not see an access: the recorded
 * program may be one of them. `to` must be memory of this process. */
ssize_t file_data_read(int fd, void *to, size_t size, off_t at);

#endif
