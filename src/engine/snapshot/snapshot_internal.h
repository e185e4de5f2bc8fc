/* What writing, restoring and comparing a snapshot share, and the parts of writing one. */
#ifndef ENGINE_SNAPSHOT_INTERNAL_H
#define ENGINE_SNAPSHOT_INTERNAL_H

#include "base/types.h"
#include "engine/base/layout.h"
#include "engine/memory/areas.h"
#include "engine/memory/file_names.h"
#include "engine/memory/mapped_copy.h"
#include "engine/snapshot/snapshot.h"
#include "engine/x86_64/cpu.h"
#include "log/snapshot_state.h"

enum {
    SNAPSHOT_PAGES_AT_A_TIME = 64,
    SNAPSHOT_PAGEMAP_ENTRIES = 1024,
    SNAPSHOT_SOURCES_MOST = 8192,
    /* fewer than mapped_copy.c can hold without checking which are mapped */
    SNAPSHOT_COPIES_MOST = 1000,
};

/* The kernel's facts about pages (/proc/self/pagemap), read in stretches. */
#define PAGE_PRESENT (3ul << 62) /* or swapped */
#define PAGE_IN_MEMORY (1ul << 63)
#define PAGE_OF_FILE (1ul << 61)
struct snapshot_pagemap {
    i32 fd;
    u64 first, count; /* pages whose entries are here */
    u64 entry[SNAPSHOT_PAGEMAP_ENTRIES];
};

/* snapshot_pagemap.c */
bool snapshot_pagemap_open(struct snapshot_pagemap *map);
/* False: the kernel does not say. */
bool snapshot_pagemap_entry(struct snapshot_pagemap *map, u64 page, u64 *ret);
void snapshot_pagemap_close(struct snapshot_pagemap *map);

/* The source of pages: snapshot_pages.c. */
struct snapshot_page_source {
    i32 fd;                      /* the snapshot's own file, */
    struct snapshot_given given; /* or ebb */
    i32 asked;                   /* the file that ebb sent last: */
    u64 first, count;            /* the pages in it; 0: none */
};

/* Reads pages to memory that the kernel can write. `ahead`: this many pages from this one on will
 * be needed. */
bool snapshot_pages_get(struct snapshot_page_source *s, u64 number, u64 count, u64 ahead, void *to);
void snapshot_pages_close(struct snapshot_page_source *s);

/* Regions of existing pages, from PAGEMAP_SCAN (linux/fs.h). */
enum { SNAPSHOT_REGIONS = 256 };
struct snapshot_region {
    u64 start, end, categories;
};
struct snapshot_scan {
    u64 until;         /* memory was scanned up to here */
    u64 count, next;   /* number of regions; the next one to use */
    struct snapshot_region region[SNAPSHOT_REGIONS];
};

/* Pages that are there, one after the other. */
struct snapshot_stretch {
    u64 start, end;
    u64 entry; /* of each, as in /proc/self/pagemap */
    /* the kernel says that they were not written; otherwise snapshot_changes_same() may say that
     * their content is as it was */
    bool same;
};

/* A snapshot that is being written. */
struct snapshot_out {
    const char *wrong; /* the first error */
    bool recorded;     /* of a program that is being recorded; otherwise of a replay */
    i32 fd, memory;
    struct snapshot_pagemap pagemap;
    u64 pages;         /* number of pages written or buffered */
    u64 most_pages;
    u64 slice;         /* pages after which the others are left out; 0: there is no such bound */
    u64 cut, left;     /* the first page that was left out, if any was; how many */
    u8 *state;
    u64 used;
    struct snapshot_changes *changes; /* NULL: all pages are written */
    bool since;        /* records may refer to the last snapshot */
    struct snapshot_scan scan;
    u64 next_hash;     /* the first hash of the last snapshot that may still matter */
    u64 last_run;      /* offset of the last PAGES or SAME; 0: none */
    u32 waiting;       /* number of buffered pages, which come first */
    u64 straight, straight_size; /* memory that is written directly */
    u32 file_count, copy_count;
    const struct file_origin *files[SNAPSHOT_SOURCES_MOST];
    bool changed[SNAPSHOT_SOURCES_MOST]; /* the file has changed since it was mapped */
    i32 copies[SNAPSHOT_COPIES_MOST];    /* of a replay */
    struct mapped_copy_name names[SNAPSHOT_COPIES_MOST]; /* of a recording */
    u64 last_nameless;
    u8 buffer[SNAPSHOT_PAGES_AT_A_TIME][PAGE_SIZE];
    u8 vector[VECTOR_STATE_MAX] __attribute__((aligned(64)));
};

/* True if other pages that have changed are left out. */
static inline bool snapshot_slice_full(const struct snapshot_out *o)
{
    return o->slice && o->pages >= o->slice;
}

void snapshot_fail(struct snapshot_out *o, const char *why);
/* Adds a zeroed record; the snapshot fails if there is no room. */
void *snapshot_add_record(struct snapshot_out *o, u32 kind, u64 size);
/* Adds a page of memory or of a copy, read by the kernel; a page of zeros is left out. False: it is
 * not mapped. */
bool snapshot_add_page(struct snapshot_out *o, u64 page, u64 address, u32 copy);
/* Adds a page of a file, at its offset in the copy; after the file's end there are zeros. Returns
 * the number of bytes read. */
i64 snapshot_add_bytes(struct snapshot_out *o, i32 fd, u64 offset, u32 copy);
/* Returns the index of the record of a privately mapped file. */
u32 snapshot_file_index(struct snapshot_out *o, const struct file_origin *origin);
/* Returns the source of an area that shows no copy, and its file if it has one. */
u32 snapshot_private_source(struct snapshot_out *o, const struct area *a, u32 *ret_index,
                            const struct file_origin **ret_origin);

/* snapshot_changes.c */

/* Begins with a private mapping, at its start. */
void snapshot_changes_look(struct snapshot_out *o, const struct snapshot_mapping *m);
/* For the way KERNEL: returns the next stretch of the mapping. False: there are no more. */
bool snapshot_changes_next(struct snapshot_out *o, const struct snapshot_mapping *m,
                           struct snapshot_stretch *ret);
/* True if the page has not changed since the last snapshot. The page exists, and is not one of
 * which the kernel knows that it is zero. Call it once for each page, by rising addresses. */
bool snapshot_changes_same(struct snapshot_out *o, const struct snapshot_mapping *m, u64 page,
                           u64 entry);
/* Call it when the snapshot is written: from now on changes are noted for the next one. */
void snapshot_changes_begin(struct snapshot_out *o);

/* snapshot_recorded.c: while recording, the state that a replay of the same moment would have. */

/* Returns why no snapshot is possible here; NULL: it is possible. */
const char *snapshot_recorded_hindrance(void);
/* Returns the source of an area, like source_of() in snapshot_write.c. */
u32 snapshot_recorded_source(struct snapshot_out *o, const struct area *a, u32 *ret_index);
/* Returns the flags that the area has in a replay. */
u32 snapshot_recorded_flags(const struct area *a);
void snapshot_recorded_shared(struct snapshot_out *o);

/* Returns a number that is equal on processors with the same layout of vector registers. */
u64 snapshot_vector_places(void);

#endif
