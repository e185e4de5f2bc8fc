/* Text files that the engine writes line by line, for users and tools (dump=, blocks=). */
#ifndef ENGINE_LINES_H
#define ENGINE_LINES_H

#include "engine/base/text.h"

struct lines {
    i32 fd;
    struct text text; /* text not written yet */
    char buffer[4096];
};

/* Creates the file (O_TRUNC) or appends to it (O_APPEND); NULL means stderr. Ends the process with
 * a message if it cannot. The descriptor is hidden from the guest. */
void lines_open(struct lines *l, const char *path, u64 how);

/* Ends a line; a line is at most 2048 bytes. */
void lines_end(struct lines *l);
void lines_flush(struct lines *l);

/* Adds a line NAME 0xVALUE. */
void lines_add_hex(struct lines *l, const char *name, u64 value);

#endif
