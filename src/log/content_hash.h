/* A hash of a file's whole content, to detect that a recorded file was replaced. Hosted.
 *
 * It is XXH64 with seed 0 (docs/log-format.md): several gigabytes a second, 64 bits. It detects
 * changes, not deliberate forgeries.
 */
#ifndef LOG_CONTENT_HASH_H
#define LOG_CONTENT_HASH_H

#include "base/types.h"

struct content_hash {
    u64 lane[4];
    u64 total;   /* bytes so far */
    u8 rest[32]; /* bytes of the last, incomplete stripe */
};

void content_hash_init(struct content_hash *h);
void content_hash_add(struct content_hash *h, const void *bytes, size_t size);
u64 content_hash_result(const struct content_hash *h);

u64 content_hash(const void *bytes, size_t size);

/* Hashes everything that can be read from `fd`, from offset 0; its file position does not change.
 * Returns 0 or an errno. */
int content_hash_file(int fd, u64 *ret, u64 *ret_size);

#endif
