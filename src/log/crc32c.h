/* CRC-32C (Castagnoli), as iSCSI and ext4 use it: the checksum of the recording. */
#ifndef LOG_CRC32C_H
#define LOG_CRC32C_H

#include "base/types.h"

/* Of "123456789" it is 0xe3069283. */
u32 crc32c(const void *bytes, size_t size);

#endif
