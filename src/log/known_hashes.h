/* Hashes of files that were computed before, in the user's cache (base/user_cache.h): a file of
 * some megabytes that has not changed is not read again. Hosted.
 *
 *     CACHE/hashes/table      a table of a fixed size, whose rows replace one another
 *
 * A row holds for a file with the same device, inode, size and times. Only the kernel sets the time
 * of the last change, so a file that was changed never has it again, unless it was changed twice
 * within the clock's tick: rows are made only for files that were not changed just before.
 */
#ifndef LOG_KNOWN_HASHES_H
#define LOG_KNOWN_HASHES_H

#include "base/types.h"

/* As content_hash_file(), from the table if it can be. */
int known_hashes_file(int fd, u64 *ret, u64 *ret_size);

/* Returns the folder, which the caller frees, and the most it can hold; NULL: there is none. */
char *known_hashes_path(u64 *ret_most);

#endif
