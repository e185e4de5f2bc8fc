/* The list of mapped files: DIR/files/mapped, a line for each file that a recorded program mapped.
 * Hosted.
 *
 *     CRC COPY HASH SIZE DEVICE INODE MTIME PATH
 *
 * MAP events have everything except the hash, which ebb computes while the program runs. So a line
 * is written a little after the event; if the recorder was killed, the last line may be missing or
 * incomplete.
 */
#ifndef LOG_MAPPED_LIST_H
#define LOG_MAPPED_LIST_H

#include "base/error.h"
#include "base/types.h"

#define MAPPED_LIST "files/mapped"

struct mapped_file_about {
    u32 copy;     /* kept as files/COPY; 0: not kept */
    bool hashed;  /* only for files that were not kept */
    u64 hash;     /* content_hash of the file as it was mapped */
    u64 size, device, inode, mtime; /* as in struct event_map */
    char *path;
};

/* True if they are the same file, under whatever name. */
static inline bool mapped_file_same(const struct mapped_file_about *a,
                                    const struct mapped_file_about *b)
{
    return a->copy == b->copy && a->size == b->size && a->device == b->device &&
           a->inode == b->inode && a->mtime == b->mtime;
}

/* Returns the line; the caller frees it. */
char *mapped_list_line(const struct mapped_file_about *about);

struct mapped_list {
    struct mapped_file_about *files;
    size_t count;
};

/* Reads the whole text; an incomplete last line is skipped. The list must be freed even after an
 * error. */
struct error *mapped_list_read(struct mapped_list *list, const char *text, size_t size);
void mapped_list_add(struct mapped_list *list, const struct mapped_file_about *about); /* copied */
void mapped_list_deinit(struct mapped_list *list);

/* Valid as long as the list; NULL if there is none. By name, a kept or hashed file is preferred. */
const struct mapped_file_about *mapped_list_find(const struct mapped_list *list,
                                                 const struct mapped_file_about *wanted);
const struct mapped_file_about *mapped_list_named(const struct mapped_list *list, const char *path);

#endif
