/* Mapped files and the log: around every mapping of a file. */
#ifndef ENGINE_MAPPED_FILE_H
#define ENGINE_MAPPED_FILE_H

#include "engine/memory/mapping.h"

struct mapped_file {
    i32 fd; /* replay: opened for the mapping; -1 else */
};

/* In a replay the guest's descriptor is not open: takes the file from the recording.  Where it is
 * mapped shared, all its mappings share a copy in memory, so that what is written through one is
 * seen through the others. */
struct mapped_file mapped_file_begin(struct mapping *m);
/* Replay: changes a file that is mapped shared at `address`, where the guest cannot write; false:
 * nothing such is mapped there. */
bool mapped_file_write(u64 address, const void *bytes, u64 size);
/* Replay: the file that is mapped at `address` has another size from now on. */
void mapped_file_resize(u64 address, u64 size, u64 before);
/* A kept copy that is mapped privately is small enough that it may serve shared mappings, too. */
bool mapped_file_shares_copy(bool kept, u64 size);
/* It has been mapped at `at`. */
void mapped_file_end(struct mapped_file *file, const struct mapping *m, u64 at);

/* In a freshly forked copy of a replaying process: gives it its own of all that is mapped shared,
 * at the same places and with the same mappings of the same memory, so that neither sees what the
 * other writes from now on.  (What is a mapping of the engine's, like the ring, is not touched.) */
void memory_unshare(void);

/* The loader reads files before it maps them: in the log that is a mapping of no bytes. */
void mapped_file_opened(i32 fd);
/* Replay: the file that was opened then. */
i32 mapped_file_open_again(void);

#endif
