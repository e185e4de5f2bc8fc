/* The index of kept files: DIR/files/index, a line `NUMBER SIZE CRC` for each copy.
 *
 * A line is written as soon as the copy is complete, so that it survives a crash of the recorder.
 */
#ifndef LOG_KEPT_INDEX_H
#define LOG_KEPT_INDEX_H

#include "base/error.h"
#include "base/types.h"

#define KEPT_INDEX "files/index"

/* Adds the copy that is open as `fd`; `dir` is the recording's. Returns 0 or an errno. */
int kept_index_add(int dir, u32 copy, int fd);

/* The same for a copy that was already measured. */
int kept_index_add_measured(int dir, u32 copy, u64 size, u32 crc);

/* Returns the size of the copy according to the index. */
struct error *kept_index_size(int dir, u32 copy, u64 *ret);

/* Checks that the copy open as `fd` is what the index says. */
struct error *kept_index_check(int dir, u32 copy, int fd);

#endif
