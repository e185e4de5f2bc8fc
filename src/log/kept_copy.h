/* Kept copies: the files that a recording keeps, compressed.  Hosted.
 *
 * DIR/files/M.zst is a copy of a mapped file as zstd frames that `zstd -d` reads, too. A copy that
 * costs nothing (blocks shared with the original) or that has large holes is DIR/files/M, not
 * compressed; so are all copies in recordings of version 2.
 */
#ifndef LOG_KEPT_COPY_H
#define LOG_KEPT_COPY_H

#include "base/error.h"
#include "base/types.h"

/* What is known of a content. */
struct kept_content {
    u64 size, hash; /* content_hash */
    u32 crc;        /* CRC-32C */
};

/* "files/M" or "files/M.zst", to be freed. */
char *kept_copy_name(u32 copy, bool compressed);

/* All of `from`, whose position stays.  0, or an errno. */
int kept_content_of(int from, struct kept_content *ret);

/* The same, compressed into `to` meanwhile; *ret_stored is how much was written. */
int kept_copy_compress(int from, int to, struct kept_content *ret, u64 *ret_stored);

/* A copy of the recording `dir`, decompressed into a file without a name, at its beginning.  It is
 * what the index says, or an error. */
struct error *kept_copy_open(int dir, u32 copy, int *ret);

#endif
