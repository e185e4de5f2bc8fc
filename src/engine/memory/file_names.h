/* Names of files that a replay has mapped, by device and inode: for people who look at the address space. */
#ifndef ENGINE_FILE_NAMES_H
#define ENGINE_FILE_NAMES_H

#include "base/types.h"

void file_names_note(u64 device, u64 inode, const char *path);
/* NULL: not known. */
const char *file_names_find(u64 device, u64 inode);

#endif
