/* /proc/self for the guest: its own program, mappings and auxv, not the engine's.
 *
 * Opening one of these files gives a descriptor with the text the guest should see (a memfd);
 * readlink of exe its program.
 */
#ifndef ENGINE_PROC_FILES_H
#define ENGINE_PROC_FILES_H

#include "base/types.h"

/* Is `path` a file that needs an answer of ours (/proc/self/maps, /proc/PID/...,
 * /proc/thread-self/..., task/TID/...)? Then opens it: a descriptor or -errno in *ret. */
bool proc_files_open(const char *path, u64 flags, i64 *ret);
/* The same for readlink: bytes in `buffer`, or -errno, in *ret. */
bool proc_files_readlink(const char *path, char *buffer, u64 size, i64 *ret);
/* A path that must be replaced before the kernel sees it (/proc/self/exe -> the program's file),
 * or NULL. */
const char *proc_files_replace(const char *path);

#endif
