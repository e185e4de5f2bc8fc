/* /proc/self for the guest: its own program, mappings and auxv, not the engine's.
 *
 * Opening one of these files gives a descriptor (a memfd) with the text that the guest should see;
 * readlink of exe gives its program.
 */
#ifndef ENGINE_PROC_FILES_H
#define ENGINE_PROC_FILES_H

#include "base/types.h"

/* True if the engine must provide the file `path` (/proc/self/maps, /proc/PID/...,
 * /proc/thread-self/..., task/TID/...). Then opens it: *ret is a descriptor or -errno. */
bool proc_files_open(const char *path, u64 flags, i64 *ret);
/* The descriptor is about to be read from its start again: if it is one of those, its text is made
 * anew, as the kernel does. */
void proc_files_renew(i32 fd);
/* Is it one for maps?  Then PROCMAP_QUERY is answered, whose structure is at that address. */
bool proc_files_is_maps(i32 fd);
i64 proc_files_query(u64 request, u64 at);
/* The same for readlink: *ret is the number of bytes in `buffer`, or -errno. */
bool proc_files_readlink(const char *path, char *buffer, u64 size, i64 *ret);
/* Returns a path that must replace this one before the kernel sees it (/proc/self/exe -> the
 * program's file), or NULL. */
const char *proc_files_replace(const char *path);

#endif
