/* Calls that change files: which they are, and which part of a file they change. */
#ifndef ENGINE_FILE_WRITES_H
#define ENGINE_FILE_WRITES_H

#include "base/types.h"

struct file_range {
    u64 from, to;
};

struct file_writes {
    u64 number;
    const u64 *args;
    u64 device, inode;
    u64 size_before, size_after;
};

/* True if such a call changes the file of its first argument. */
bool file_writes_call(u64 number);

/* Before the call, which may also be one that reads; false: its descriptor is not a file. */
bool file_writes_begin(struct file_writes *ret, u64 number, const u64 *args);
/* After it has succeeded: the range that may have changed. */
struct file_range file_writes_range(struct file_writes *w, i64 result);

#endif
