/* Tells whether a file is the debug information of another. A client may read such files in
 * addition to those that the recorded program had mapped. */
#ifndef FRONT_DEBUG_FILE_H
#define FRONT_DEBUG_FILE_H

#include "base/types.h"

/* True if a file of this name could be debug information: .debug, .dwo, .dwp, or in .dwz or
 * .build-id. Other files are not opened. */
bool debug_file_has_name(const char *path);

/* True if it is an ELF file that several programs may share (.dwz), or that has no build id (.dwo,
 * .dwp). For these the name is enough. */
bool debug_file_is_shared(int fd, const char *path);

/* True if `fd`, which has that name, is the debug information of the ELF file `of`: it has the same
 * build id or, if there is none, the name that `of` gives. */
bool debug_file_is_of(int fd, const char *path, int of);

#endif
