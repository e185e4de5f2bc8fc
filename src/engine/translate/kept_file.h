/* The files in which translations are kept: one page with a header, the list of the files that the
 * code came from, and then the parts, each page by page as it lay in memory.
 *
 * A file is written under another name and renamed when it is whole. It is private to its user.
 * The time of its last modification is a seal: kept_file_write() sets it to a value made from the
 * content's checksum, and any later write changes it. A file with a broken seal, or one that was
 * written before the machine was started the last time, is summed up before it is used.
 */
#ifndef ENGINE_KEPT_FILE_H
#define ENGINE_KEPT_FILE_H

#include "base/types.h"
#include "engine/memory/code_files.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/fragment.h"
#include "engine/translate/kept_part.h"
#include "engine/translate/lookup_table.h"

enum {
    KEPT_PARTS = CODE_CACHE_PARTS + FRAGMENTS_PARTS + LOOKUP_PARTS,
    KEPT_IDENTITY = 8,
    KEPT_BOOT = 40,
};

struct kept_header {
    u64 magic;
    u64 head_sum; /* of what follows in the header */
    u64 body_sum; /* of all that follows the header */
    char boot[KEPT_BOOT]; /* the machine's start during which it was written or last summed up */
    u64 identity[KEPT_IDENTITY]; /* all that translations depend on besides the code */
    struct code_cache_held cache;
    struct fragments_held fragments;
    struct lookup_held lookup;
    u64 file_count;
    struct kept_part parts[KEPT_PARTS];
    u64 size; /* of the file */
};

struct kept_path {
    char text[4096];
};

/* Writes it; false if it could not be written, which harms nothing. The caller has filled in what
 * is to be kept: identity, cache, fragments, lookup, parts. */
bool kept_file_write(const char *folder, const struct kept_path *path, struct kept_header *h,
                     const struct code_files *files);

/* Opens one and reads its header. Returns a descriptor, or -1 if there is none, or none that can be
 * trusted. *ret_sealed: the content is what was written. */
i32 kept_file_open(const struct kept_path *path, struct kept_header *ret, bool *ret_sealed);
/* True if it was made from exactly these files. */
bool kept_file_matches(i32 fd, const struct kept_header *h, const struct code_files *files);
/* Puts the parts into memory, over what is there. */
void kept_file_map(i32 fd, const struct kept_header *h);
/* True if the parts in memory are what was written; seals the file again. */
bool kept_file_verify(const struct kept_path *path, struct kept_header *h);
/* Notes that it was used, for the choice of those to be removed. */
void kept_file_used(i32 fd);

#endif
