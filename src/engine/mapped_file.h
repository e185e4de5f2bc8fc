/* Mapped files and the log: around every mapping of a file. */
#ifndef ENGINE_MAPPED_FILE_H
#define ENGINE_MAPPED_FILE_H

#include "engine/address_internal.h"

struct mapped_file {
    i32 fd; /* replay: opened for the mapping; -1 else */
};

/* In a replay the guest's descriptor is not open: takes the file from the recording, and maps it private, since nobody
 * else shares it. */
struct mapped_file mapped_file_begin(struct mapping *m);
/* It has been mapped at `at`. */
void mapped_file_end(struct mapped_file *file, const struct mapping *m, u64 at);

#endif
