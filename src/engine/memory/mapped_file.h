/* Mapped files and the log: called around every mapping of a file. */
#ifndef ENGINE_MAPPED_FILE_H
#define ENGINE_MAPPED_FILE_H

#include "engine/memory/mapping.h"

struct mapped_file {
    i32 fd; /* replay: opened for the mapping; -1 otherwise */
};

/* In a replay the guest's descriptor is not open: takes the file from the recording. If it is
 * mapped shared, all its mappings share a copy in memory, so that what is written through one is
 * seen through the others. */
struct mapped_file mapped_file_begin(struct mapping *m);
/* Replay: changes a file that is mapped shared at `address`, where the guest cannot write; false:
 * no such file is mapped there. */
bool mapped_file_write(u64 address, const void *bytes, u64 size);
/* Replay: the file mapped at `address` changes its size. */
void mapped_file_resize(u64 address, u64 size, u64 before);
/* True if the kernel or a device writes into such memory by itself (rings of samples and packets,
 * virtual processors, graphics), which a recording cannot see. */
bool mapped_file_is_restless(i32 fd);
/* True if a kept copy that is mapped privately is small enough to serve shared mappings, too. */
bool mapped_file_shares_copy(bool kept, u64 size);
/* It has been mapped at `at`. */
void mapped_file_end(struct mapped_file *file, const struct mapping *m, u64 at);

/* In a newly forked copy of a replaying process: gives it its own copies of everything that is
 * mapped shared, at the same addresses, so that neither process sees later writes of the other.
 * (Mappings of the engine, like the ring, are not affected.) */
void memory_unshare(void);

/* The loader reads files before it maps them: in the log that is a mapping of no bytes. */
void mapped_file_opened(i32 fd);
/* Replay: returns the file that was opened then. */
i32 mapped_file_open_again(void);

#endif
