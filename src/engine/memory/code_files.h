/* The files from which the guest's code comes: executable private mappings of files that are still
 * as they were when they were mapped.
 *
 * Translations of such code can be kept for other processes (translate/kept.h). A mapping is left
 * out, or no longer in the list, if anything may have made its content differ from the file's: if
 * it is or was writable, was written from outside, or was partly unmapped. A file that was changed
 * only just now is left out too: it may be changed once more without getting another time.
 */
#ifndef ENGINE_CODE_FILES_H
#define ENGINE_CODE_FILES_H

#include "base/types.h"

struct area;
struct stat;

enum { CODE_FILES_MOST = 512 };

/* Two of these are equal only if the same content lies at the same place. */
struct code_file {
    u64 start, end, offset;
    u64 device, inode, size;
    u64 modified, changed; /* nanoseconds */
};

struct code_files {
    u32 count;
    u32 version; /* changes whenever the list does */
    struct code_file file[CODE_FILES_MOST]; /* in the order of their addresses */
};

/* The present list. */
const struct code_files *code_files_now(void);

/* The file that is about to be mapped. */
void code_files_look(const struct stat *file);
/* The area was mapped, from the file that was looked at last. */
void code_files_mapped(const struct area *a);
/* The content of [start, end) may differ from the file's from now on. */
void code_files_spoil(u64 start, u64 end);

/* True if the page with this number belongs to a mapping of the list. */
bool code_files_hold(const struct code_files *list, u64 page);

#endif
