/* Files with holes: finds the parts of a file that have data. A database may map a file of a
 * terabyte of which only some pages were written. */
#ifndef BASE_FILE_DATA_H
#define BASE_FILE_DATA_H

#include <stdbool.h>
#include <sys/types.h>

/* Finds the next range that is not a hole, at or after `from`; false: there is none. If the file
 * system does not know, the whole file is one range. Changes the descriptor's position. */
bool file_data_next(int fd, off_t from, off_t *ret_start, off_t *ret_end);

#endif
