/* A packed recording on disk: what reader and writer agree on.  docs/log-format.md says the same.
 *
 *     header, contents one after the other, index
 *
 * The index is last, so that a file is written in one go; the header, written last of all, says
 * where it is and how large everything must be.
 */
#ifndef LOG_PACK_INTERNAL_H
#define LOG_PACK_INTERNAL_H

#include "base/types.h"

#define PACK_MAGIC "ebbpack\1" /* eight bytes */

enum {
    PACK_VERSION = 1,
    PACK_INDEX_MOST = 256 * 1024 * 1024,
    PACK_STORED = 0, /* methods: not compressed, */
    PACK_ZSTD = 1,   /* one zstd frame */
};

struct pack_header {
    u8 magic[8];
    u32 version;      /* PACK_VERSION */
    u32 unused;
    u64 size;         /* of the whole file */
    u64 index_at;
    u64 index_stored; /* its size as a zstd frame, up to the end of the file */
    u64 index_size;   /* and decompressed */
    u64 index_hash;   /* content_hash of it, decompressed */
    u32 unused_too;
    u32 crc;          /* crc32c of the bytes before it */
};
_Static_assert(sizeof(struct pack_header) == 64, "on disk");

/* Then `name_size` bytes of name, and zeros up to a multiple of 8. */
struct pack_record {
    u32 kind, method;
    u64 at, stored;             /* where the content is in the file, and its bytes there */
    u64 size, hash;             /* of the content, decompressed */
    u64 device, inode, mtime;   /* of what was mapped, as in its MAP event */
    u32 copy, name_size;
};
_Static_assert(sizeof(struct pack_record) == 72, "on disk");

#endif
