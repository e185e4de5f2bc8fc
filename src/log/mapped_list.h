/* The list of mapped files: DIR/files/mapped, a line for each file that came into the address
 * space of a recorded program.  Hosted.
 *
 *     CRC COPY HASH SIZE DEVICE INODE MTIME PATH
 *
 * MAP events have all but the hash.  It is computed by ebb while the program runs, so a line is
 * written a little after the event; the last may be missing, or cut, if the recorder was killed.
 */
#ifndef LOG_MAPPED_LIST_H
#define LOG_MAPPED_LIST_H

#include "base/error.h"
#include "base/types.h"

#define MAPPED_LIST "files/mapped"

struct mapped_file_about {
    u32 copy;     /* kept as files/COPY; 0: not kept */
    bool hashed;  /* only of those that were not kept */
    u64 hash;     /* content_hash of the file as it was mapped */
    u64 size, device, inode, mtime; /* as in struct event_map */
    char *path;
};

/* Are they one file, besides what they are called? */
static inline bool mapped_file_same(const struct mapped_file_about *a,
                                    const struct mapped_file_about *b)
{
    return a->copy == b->copy && a->size == b->size && a->device == b->device &&
           a->inode == b->inode && a->mtime == b->mtime;
}

/* The line, to be freed. */
char *mapped_list_line(const struct mapped_file_about *about);

struct mapped_list {
    struct mapped_file_about *files;
    size_t count;
};

/* Of the whole text; a last line that is cut is passed over.  Even after an error the list is to be
 * given back. */
struct error *mapped_list_read(struct mapped_list *list, const char *text, size_t size);
void mapped_list_add(struct mapped_list *list, const struct mapped_file_about *about); /* copied */
void mapped_list_deinit(struct mapped_list *list);

/* Valid as long as the list; NULL if there is none.  By name: one that is kept or hashed first. */
const struct mapped_file_about *mapped_list_find(const struct mapped_list *list,
                                                 const struct mapped_file_about *wanted);
const struct mapped_file_about *mapped_list_named(const struct mapped_list *list, const char *path);

#endif
