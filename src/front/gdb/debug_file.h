/* Is a file the debug information of another: what a client may read besides the files that a
 * recorded program had mapped. */
#ifndef FRONT_DEBUG_FILE_H
#define FRONT_DEBUG_FILE_H

#include "base/types.h"

/* Could a file of this name be debug information at all: .debug, .dwo, .dwp, or in .dwz or
 * .build-id?  Others need not be opened. */
bool debug_file_has_name(const char *path);

/* Is it of ELF, and one that several programs may share (.dwz) or that has no id of its own (.dwo,
 * .dwp)?  Its name alone tells. */
bool debug_file_is_shared(int fd, const char *path);

/* Is `fd`, of that name, the debug information of the ELF file `of`: has it the same build id, or
 * if that has none, the name that it gives? */
bool debug_file_is_of(int fd, const char *path, int of);

#endif
