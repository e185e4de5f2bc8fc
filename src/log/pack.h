/* A packed recording: one file with the recording and every file that it needs.  Hosted.
 *
 * It is a list of items, each with a name and a content; items may share a content. Tracks are
 * stored unchanged and read in place. Other items are extracted into memory on demand, and checked
 * by their hash.
 *
 * Commands do not see this: they use log/recording.h and log/recording_file.h.
 */
#ifndef LOG_PACK_H
#define LOG_PACK_H

#include "base/error.h"
#include "base/types.h"
#include "log/mapped_list.h"

enum pack_kind {
    PACK_PART = 1,   /* a part of the recording: "meta", "track-N.log" */
    PACK_MAPPED = 2, /* a file that the program mapped, by its original path */
    PACK_DEBUG = 3,  /* debug information, by the path where it was found */
    PACK_SOURCE = 4, /* a source, by its path in a line table */
};

struct pack_item {
    u32 kind, method; /* method: pack_internal.h */
    u64 at, stored;   /* in the file */
    u64 size, hash;   /* of the content */
    u64 device, inode, mtime;
    u32 copy;
    char *name;
};

struct pack;

/* True if `fd` may be one, by its first bytes. */
bool pack_recognise(int fd);

/* Takes ownership of `fd`, also after an error; `path` is for errors. */
struct error *pack_open(int fd, const char *path, struct pack **ret);
void pack_close(struct pack *p); /* accepts NULL */

u64 pack_size(const struct pack *p); /* bytes of the file */
int pack_descriptor(const struct pack *p); /* for pread; owned by the pack */

size_t pack_count(const struct pack *p);
const struct pack_item *pack_item(const struct pack *p, size_t i);

/* NULL if there is none. */
const struct pack_item *pack_part(const struct pack *p, const char *name);
const struct pack_item *pack_mapped(const struct pack *p, const struct mapped_file_about *about);
/* Finds any item with the name: a mapped one first, then debug, then source. */
const struct pack_item *pack_named(const struct pack *p, const char *path);

/* Returns the content: a descriptor as described in log/recording_file.h. */
struct error *pack_extract(struct pack *p, const struct pack_item *item, int *ret);

/* Returns a small content as a string; the caller frees it. */
struct error *pack_text(struct pack *p, const struct pack_item *item, char **ret);

/* Making one. It appears at `path` when it is complete. */

struct pack_writer;

struct error *pack_writer_create(const char *path, bool replace, struct pack_writer **ret);

/* Adds the content of `fd`; `about` has kind, name, and facts about a mapped file. */
struct error *pack_writer_add(struct pack_writer *w, const struct pack_item *about, int fd);

/* True if an item of this kind and name was added. */
bool pack_writer_has(const struct pack_writer *w, u32 kind, const char *name);

struct pack_figures {
    u64 items[PACK_SOURCE + 1]; /* by kind */
    u64 raw;                    /* bytes of all contents, each counted once */
    u64 size;                   /* of the file */
};
struct error *pack_writer_finish(struct pack_writer *w, struct pack_figures *ret);

void pack_writer_destroy(struct pack_writer *w); /* removes an unfinished file; accepts NULL */

#endif
