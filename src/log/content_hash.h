/* A hash of a file's whole content, by which a file that was replaced is told from the one that
 * was recorded.  Hosted.
 *
 * It is XXH64 with seed 0 (docs/log-format.md): several gigabytes a second, 64 bits.  It finds
 * changes, not forgeries.
 */
#ifndef LOG_CONTENT_HASH_H
#define LOG_CONTENT_HASH_H

#include "base/types.h"

struct content_hash {
    u64 lane[4];
    u64 total;   /* bytes so far */
    u8 rest[32]; /* of the last stripe, which is not whole yet */
};

void content_hash_init(struct content_hash *h);
void content_hash_add(struct content_hash *h, const void *bytes, size_t size);
u64 content_hash_result(const struct content_hash *h);

u64 content_hash(const void *bytes, size_t size);

/* Of all that can be read from `fd` at offset 0 and on; its own offset stays.  0, or an errno. */
int content_hash_file(int fd, u64 *ret, u64 *ret_size);

#endif
