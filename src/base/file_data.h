/* Files with holes: which parts of a file hold anything.  A data base may map a file of a terabyte
 * of which some pages have been written. */
#ifndef BASE_FILE_DATA_H
#define BASE_FILE_DATA_H

#include <stdbool.h>
#include <sys/types.h>

/* The next stretch that is no hole, at or behind `from`; false: nothing follows.  Where the file
 * system does not know, all is one stretch.  Moves the descriptor's position. */
bool file_data_next(int fd, off_t from, off_t *ret_start, off_t *ret_end);

#endif
