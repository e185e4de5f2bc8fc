/* Structures of system calls that point to memory that the kernel writes. */
#ifndef LOG_SYSCALL_VECTORS_H
#define LOG_SYSCALL_VECTORS_H

#include "base/types.h"

struct k_iovec {
    u64 base;
    u64 size;
};

struct k_msghdr {
    u64 name;
    u32 name_size;
    u32 padding;
    u64 iov;
    u64 iov_count;
    u64 control;
    u64 control_size;
    u32 flags;
    u32 padding2;
};

struct k_mmsghdr {
    struct k_msghdr header;
    u32 size;
    u32 padding;
};

#endif
