/* Which file the dynamic linker means by a name.
 *
 * It calls a library by a name with links in it (/lib64/libx.so.6), a recording by that of the file
 * itself, which may be another altogether (libx-2.31.so).
 */
#ifndef FRONT_LIBRARY_NAME_H
#define FRONT_LIBRARY_NAME_H

#include "base/types.h"

/* Could the file at `path` be meant by `name`?  By the last parts of both, or the beginning of one:
 * libx.so.6 is libx.so.6.0.30. */
bool library_name_fits(const char *path, const char *name);

/* Does the library open as `fd` call itself so (DT_SONAME)? */
bool library_name_is_own(int fd, const char *name);

#endif
