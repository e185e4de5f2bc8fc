/* A system call as people read it: one line, as strace would print it.
 *
 *     openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3
 *     read(3, "root:x:0:0:root:/root:/bin/bash\nd"..., 4096) = 1234
 *     access("/etc/ld.so.preload", R_OK) = -1 ENOENT (No such file or directory)
 *
 * What pointers point at is shown as far as the caller's memory has it, which may be that of the
 * program just after the call, or the pieces that an event of the recording holds; the rest is
 * shown as addresses.
 */
#ifndef LOG_SYSCALL_TEXT_H
#define LOG_SYSCALL_TEXT_H

#include "log/syscall_table.h"

/* A string of the caller's to free.  `call` has been through call_begin, and has its result. */
char *syscall_text(const struct call_made *call, const struct call_memory *memory);

/* The same before the call is made: without its result and what the kernel is going to write. */
char *syscall_text_begun(const struct call_made *call, const struct call_memory *memory);

/* Memory made of pieces, as an event of the recording has them.  Where they overlap the first
 * counts.  The pieces are lent for as long as the memory is used. */
struct syscall_piece {
    struct gaddr at;
    u64 size;
    const u8 *bytes;
};

struct syscall_pieces {
    const struct syscall_piece *list;
    size_t count;
};

struct call_memory syscall_pieces_memory(struct syscall_pieces *pieces);

#endif
