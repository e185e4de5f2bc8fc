/* What the files that print system calls share: the output, and the memory to read. */
#ifndef LOG_SYSCALL_TEXT_INTERNAL_H
#define LOG_SYSCALL_TEXT_INTERNAL_H

#include <stdio.h>

#include "log/syscall_table.h"

struct printer {
    FILE *to;
    const struct call_made *call;
    const struct call_memory *memory;
};

enum { TEXT_BYTES = 32, TEXT_ITEMS = 32, TEXT_PATH = 4096 }; /* maximum shown before "..." */

bool text_read(const struct printer *p, u64 at, void *to, size_t size);

/* Prints an address; NULL by name. */
void text_address(const struct printer *p, u64 at);
/* Prints bytes in quotes, followed by "..." if there are more; false, and prints nothing, if they
 * are not available. */
bool text_bytes(const struct printer *p, u64 at, u64 size);
/* A string of at most `most` bytes, in quotes. */
bool text_string(const struct printer *p, u64 at, size_t most);
/* A socket's address. */
bool text_sockaddr(const struct printer *p, u64 at, u64 size);
/* Prints ranges, with the first bytes of each, as far as `total` bytes were transferred. */
bool text_iovec(const struct printer *p, u64 at, u64 count, u64 total);
/* Prints an object of a type that rows name; false if it is not available or the type is
 * unknown. */
bool text_object(const struct printer *p, const char *type, u64 at);

#endif
