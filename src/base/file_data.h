/* Files with holes: which parts of a file hold anything.  A data base may map a file of a terabyte
 * of which some pages have been written. */
#ifndef BASE_FILE_DATA_H
#define BASE_FILE_DATA_H

#include <stdbool.h>
#include <sys/types.h>

/* The next range that is not a hole, at or after `from`; false: there is none. If the file system
 * does not know, the whole file is one range. Moves the descriptor's position. */
bool file_data_next(int fd, off_t from, off_t *ret_start, off_t *ret_end);

#endif
