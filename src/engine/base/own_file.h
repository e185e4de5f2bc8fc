/* Files that the engine writes for itself: the program's limit on file sizes does not apply.
 *
 *     struct own_file_limit limit;
 *     own_file_begin(&limit);
 *     ... memfd_create, ftruncate, write ...
 *     own_file_end(&limit);
 *
 * In between, the limit (RLIMIT_FSIZE) is raised as far as possible. If that is not enough, the
 * calls fail with EFBIG, and no SIGXFSZ reaches the program.
 */
#ifndef ENGINE_OWN_FILE_H
#define ENGINE_OWN_FILE_H

#include "base/types.h"

struct own_file_limit {
    bool changed;
    u64 limit[2]; /* the original limit */
    u64 mask;     /* signals that were blocked */
};

void own_file_begin(struct own_file_limit *ret);
void own_file_end(const struct own_file_limit *before);

#endif
