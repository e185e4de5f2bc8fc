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
    SNAPSHOT_COPIES_MOST = 1000, /* fewer than mapped_copy.c has room for without looking which
                                  * are mapped */
};

/* What the kernel says of pages (/proc/self/pagemap), read in stretches. */
#define PAGE_PRESENT (3ul << 62) /* or swapped */
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

/* Where pages come from: snapshot_pages.c. */
struct snapshot_page_source {
    i32 fd;                      /* the snapshot's own file, */
    struct snapshot_given given; /* or ebb */
    i32 asked;                   /* what ebb gave last: */
    u64 first, count;            /* these pages; 0: nothing */
};

/* Reads pages to where the kernel can write them.  `ahead`: so many from this one on will be
 * needed. */
bool snapshot_pages_get(struct snapshot_page_source *s, u64 number, u64 count, u64 ahead, void *to);
void snapshot_pages_close(struct snapshot_page_source *s);

/* A snapshot that is being written. */
struct snapshot_out {
    const char *wrong; /* the first thing that was */
    bool recorded;     /* of a program that is being recorded; otherwise of a replay */
    i32 fd, memory;
    struct snapshot_pagemap pagemap;
    u64 pages;         /* written, or about to be */
    u64 most_pages;
    u8 *state;
    u64 used;
    u64 last_run;      /* offset of the last PAGES; 0: none */
    u32 waiting;       /* pages in the buffer, which come before */
    u64 straight, straight_size; /* memory that is written from where it is */
    u32 file_count, copy_count;
    const struct file_origin *files[SNAPSHOT_SOURCES_MOST];
    bool changed[SNAPSHOT_SOURCES_MOST]; /* the file is not what it was when it was mapped */
    i32 copies[SNAPSHOT_COPIES_MOST];    /* of a replay */
    struct mapped_copy_name names[SNAPSHOT_COPIES_MOST]; /* of a recording */
    u64 last_nameless;
    u8 buffer[SNAPSHOT_PAGES_AT_A_TIME][PAGE_SIZE];
    u8 vector[VECTOR_STATE_MAX] __attribute__((aligned(64)));
};

void snapshot_fail(struct snapshot_out *o, const char *why);
/* A record of zeros; the state has room for it, or the snapshot fails. */
void *snapshot_add_record(struct snapshot_out *o, u32 kind, u64 size);
/* A page of memory or of a copy, read by the kernel; one of zeros is left out.  False: it is not
 * there. */
bool snapshot_add_page(struct snapshot_out *o, u64 page, u64 address, u32 copy);
/* A page of a file, at the offset that it has in the copy; what comes after its end is zeros.
 * Returns how many bytes there are. */
i64 snapshot_add_bytes(struct snapshot_out *o, i32 fd, u64 offset, u32 copy);
/* The record of a file that is mapped privately. */
u32 snapshot_file_index(struct snapshot_out *o, const struct file_origin *origin);
/* The source of an area that shows no copy; the file, if it is one. */
u32 snapshot_private_source(struct snapshot_out *o, const struct area *a, u32 *ret_index,
                            const struct file_origin **ret_origin);

/* snapshot_recorded.c: in a recording, what a replay of the same moment would have. */

/* Why there can be no snapshot here; NULL: there can. */
const char *snapshot_recorded_hindrance(void);
/* The source of an area, as source_of() in snapshot_write.c. */
u32 snapshot_recorded_source(struct snapshot_out *o, const struct area *a, u32 *ret_index);
/* The flags that the area has in a replay. */
u32 snapshot_recorded_flags(const struct area *a);
void snapshot_recorded_shared(struct snapshot_out *o);

/* A number that is the same on processors whose images of vector registers are laid out alike. */
u64 snapshot_vector_places(void);

#endif
