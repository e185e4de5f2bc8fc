/* CRC-32C (Castagnoli), as iSCSI and ext4 use it: the checksum of the recording. */
#ifndef LOG_CRC32C_H
#define LOG_CRC32C_H

#include "base/types.h"

/* Of "123456789" it is 0xe3069283. */
u32 crc32c(const void *bytes, size_t size);

/* The checksum of the bytes that `crc` covers, followed by these bytes. Of no bytes it is 0. */
u32 crc32c_more(u32 crc, const void *bytes, size_t size);

/* The same for `count` zeros that follow, in a time that hardly depends on their number. */
u32 crc32c_zeros(u32 crc, u64 count);

#endif
