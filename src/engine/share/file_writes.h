/* Calls that change files: which, and what of a file they change. */
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

/* Does such a call change the file that its first argument is open on? */
bool file_writes_call(u64 number);

/* Before the call, which may also be one that reads; false: its descriptor is not of a file. */
bool file_writes_begin(struct file_writes *ret, u64 number, const u64 *args);
/* After it has succeeded: what has changed at most, the size being known as well. */
struct file_range file_writes_range(struct file_writes *w, i64 result);

#endif
