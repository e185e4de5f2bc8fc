/* CRC-32C (Castagnoli), as iSCSI and ext4 use it: the checksum of the recording. */
#ifndef LOG_CRC32C_H
#define LOG_CRC32C_H

#include "base/types.h"

/* The checksum of "123456789" is 0xe3069283. */
u32 crc32c(const void *bytes, size_t size);

/* Returns the checksum of the bytes that `crc` covers, followed by these bytes. The checksum of no
 * bytes is 0. */
u32 crc32c_more(u32 crc, const void *bytes, size_t size);

/* The same for `count` zeros, in nearly constant time. */
u32 crc32c_zeros(u32 crc, u64 count);

#endif
