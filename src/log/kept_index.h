/* The index of kept files: DIR/files/index, a line `NUMBER SIZE CRC` for each copy.
 *
 * A line is written when the copy is whole, so that it is there however the recorder ends.
 */
#ifndef LOG_KEPT_INDEX_H
#define LOG_KEPT_INDEX_H

#include "base/error.h"
#include "base/types.h"

#define KEPT_INDEX "files/index"

/* Adds the copy, which is open as `fd`; `dir` is the recording's.  0, or an errno. */
int kept_index_add(int dir, u32 copy, int fd);

/* The same, of one that was measured. */
int kept_index_add_measured(int dir, u32 copy, u64 size, u32 crc);

/* The size of the copy, as the index has it. */
struct error *kept_index_size(int dir, u32 copy, u64 *ret);

/* Is the copy that is open as `fd` what the index says? */
struct error *kept_index_check(int dir, u32 copy, int fd);

#endif
