/* The format of a snapshot on disk, for writing and reading. */
#ifndef LOG_SNAPSHOT_FILE_INTERNAL_H
#define LOG_SNAPSHOT_FILE_INTERNAL_H

#include "base/types.h"
#include "log/page_file.h"
#include "log/snapshot_state.h"

enum {
    SNAPSHOT_FILE_VERSION = 1,
    SNAPSHOT_FILE_PLACED = 2, /* the pages are in page files */
    SNAPSHOT_FRAME_PAGES = 16,
    SNAPSHOT_FRAME_SIZE = SNAPSHOT_FRAME_PAGES * SNAPSHOT_PAGE,
};

#define SNAPSHOT_MAGIC "ebbsnap\1" /* without the null terminator */

struct snapshot_header {
    char magic[8];
    u32 version;
    u32 track;
    u8 id[16];
    u64 tick, pc, events_met;
    u64 state_size, state_stored;
    u64 pages, index_stored;
    u64 stored_pages;
    u64 file_size;
    u32 state_crc, index_crc; /* checksums of the stored bytes */
    u32 sizes_crc;
    u32 crc; /* checksum of the preceding header */
};
_Static_assert(sizeof(struct snapshot_header) == 120, "on disk");

/* The size and checksum of a frame. */
struct snapshot_frame {
    u32 stored;
    u32 crc;
};

/* Returns the place after this one: the expected place of the next page. */
static inline struct page_place place_after(struct page_place p)
{
    return p.file ? (struct page_place){p.file, p.number + 1} : p;
}

#endif
