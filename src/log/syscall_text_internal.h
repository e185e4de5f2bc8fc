/* What the files that print system calls share: where to, and out of which memory. */
#ifndef LOG_SYSCALL_TEXT_INTERNAL_H
#define LOG_SYSCALL_TEXT_INTERNAL_H

#include <stdio.h>

#include "log/syscall_table.h"

struct printer {
    FILE *to;
    const struct call_made *call;
    const struct call_memory *memory;
};

enum { TEXT_BYTES = 32, TEXT_ITEMS = 32, TEXT_PATH = 4096 }; /* shown before "..." */

bool text_read(const struct printer *p, u64 at, void *to, size_t size);

/* An address; NULL is a word. */
void text_address(const struct printer *p, u64 at);
/* Bytes in quotes, "..." after them if there are more; false and nothing if they are not there. */
bool text_bytes(const struct printer *p, u64 at, u64 size);
/* A string of at most `most` bytes, in quotes. */
bool text_string(const struct printer *p, u64 at, size_t most);
/* A socket's address. */
bool text_sockaddr(const struct printer *p, u64 at, u64 size);
/* Ranges, with the first bytes of each as far as `total` of them were transferred. */
bool text_iovec(const struct printer *p, u64 at, u64 count, u64 total);
/* An object of a type that rows name, or false if it is not there or the type is strange. */
bool text_object(const struct printer *p, const char *type, u64 at);

#endif
