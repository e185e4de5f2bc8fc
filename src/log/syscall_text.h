/* Prints a system call in one line, like strace.
 *
 *     openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3
 *     read(3, "root:x:0:0:root:/root:/bin/bash\nd"..., 4096) = 1234
 *     access("/etc/ld.so.preload", R_OK) = -1 ENOENT (No such file or directory)
 *
 * The targets of pointers are shown as far as they are in the caller's memory, which may be that of
 * the program just after the call, or the pieces of an event; other pointers are shown as
 * addresses.
 */
#ifndef LOG_SYSCALL_TEXT_H
#define LOG_SYSCALL_TEXT_H

#include "log/syscall_table.h"

/* The caller frees the string. `call` was passed to call_begin, and has its result. */
char *syscall_text(const struct call_made *call, const struct call_memory *memory);

/* The same before the call is made: without its result and output. */
char *syscall_text_begun(const struct call_made *call, const struct call_memory *memory);

/* Memory made of the pieces of an event. If they overlap, the first counts. The caller keeps the
 * pieces as long as the memory is used. */
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
