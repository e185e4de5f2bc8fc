/* Finds which file the dynamic linker means by a name.
 *
 * The linker uses a name that may contain symbolic links (/lib64/libx.so.6). A recording uses the
 * name of the file itself, which may be quite different (libx-2.31.so).
 */
#ifndef FRONT_LIBRARY_NAME_H
#define FRONT_LIBRARY_NAME_H

#include "base/types.h"

/* True if `name` could mean the file at `path`: by the last components of both, or the beginning of
 * one: libx.so.6 is libx.so.6.0.30. */
bool library_name_fits(const char *path, const char *name);

/* True if the library that is open as `fd` has this name (DT_SONAME). */
bool library_name_is_own(int fd, const char *name);

#endif
