/* Kept copies: the files that a recording keeps, compressed.  Hosted.
 *
 * DIR/files/M.zst is a copy of a mapped file as zstd frames that `zstd -d` reads, too. A copy that
 * shares blocks with the original, or that has large holes, is DIR/files/M, not compressed. So are
 * all copies in recordings of version 2.
 */
#ifndef LOG_KEPT_COPY_H
#define LOG_KEPT_COPY_H

#include "base/error.h"
#include "base/types.h"

/* Facts about a content. */
struct kept_content {
    u64 size, hash; /* content_hash */
    u32 crc;        /* CRC-32C */
};

/* "files/M" or "files/M.zst"; the caller frees it. */
char *kept_copy_name(u32 copy, bool compressed);

/* Measures all of `from`, whose position does not change. Returns 0 or an errno. */
int kept_content_of(int from, struct kept_content *ret);

/* The same, and compresses it into `to`; *ret_stored is the number of bytes written. */
int kept_copy_compress(int from, int to, struct kept_content *ret, u64 *ret_stored);

/* Decompresses a copy of the recording `dir` into a file without a name, positioned at its
 * beginning. An error if it is not what the index says. */
struct error *kept_copy_open(int dir, u32 copy, int *ret);

#endif
