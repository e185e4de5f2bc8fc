/* The format of a packed recording on disk. docs/log-format.md describes the same.
 *
 *     header, contents one after the other, index
 *
 * The index is at the end, so that the file is written sequentially. The header, written last of
 * all, has the offset of the index and all sizes.
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
    u64 index_hash;   /* content_hash of the index, decompressed */
    u32 unused_too;
    u32 crc;          /* crc32c of the preceding bytes */
};
_Static_assert(sizeof(struct pack_header) == 64, "on disk");

/* Followed by `name_size` bytes of name, and zeros up to a multiple of 8. */
struct pack_record {
    u32 kind, method;
    u64 at, stored;             /* offset and size of the content in the file */
    u64 size, hash;             /* of the content, decompressed */
    u64 device, inode, mtime;   /* for a mapped file, as in its MAP event */
    u32 copy, name_size;
};
_Static_assert(sizeof(struct pack_record) == 72, "on disk");

#endif
