/* Text files that the engine writes for people and tools, line by line (dump=, blocks=). */
#ifndef ENGINE_LINES_H
#define ENGINE_LINES_H

#include "engine/base/text.h"

struct lines {
    i32 fd;
    struct text text; /* what is gathered and not written yet */
    char buffer[4096];
};

/* Makes the file anew (O_TRUNC) or goes on in it (O_APPEND); takes stderr for NULL; ends the
 * process with a sentence if it cannot.  The descriptor is hidden from the guest. */
void lines_open(struct lines *l, const char *path, u64 how);

/* Ends a line; a line is at most 2048 bytes. */
void lines_end(struct lines *l);
void lines_flush(struct lines *l);

/* NAME 0xVALUE, a line. */
void lines_add_hex(struct lines *l, const char *name, u64 value);

#endif
