/* Kernel structures whose fields the engine uses, and whose sizes are in the table of system calls.
 * Those of which only the size matters are in syscall_structs.h. */
#ifndef LOG_KERNEL_STRUCTS_H
#define LOG_KERNEL_STRUCTS_H

#include "base/types.h"

struct k_timespec {
    i64 seconds;
    i64 nanoseconds;
};

struct k_timeval {
    i64 seconds;
    i64 microseconds;
};

struct k_timezone {
    i32 minutes_west;
    i32 dst;
};

struct k_stat {
    u64 device, inode, links;
    u32 mode, uid, gid, padding;
    u64 special_device, size, block_size, blocks;
    struct k_timespec accessed, modified, changed;
    u64 reserved[3];
};

struct k_statx_time {
    i64 seconds;
    u32 nanoseconds;
    i32 unused;
};

struct k_statx {
    u32 mask;
    u8 unused[60];
    struct k_statx_time accessed, born, changed, modified;
    u8 rest[128];
};

struct k_sigaction {
    u64 handler;
    u64 flags;
    u64 restorer;
    u64 mask;
};

struct k_stack {
    u64 base;
    i32 flags;
    u32 padding;
    u64 size;
};

struct k_siginfo {
    i32 signal;
    i32 error;
    i32 code;
    i32 padding;
    union {
        u64 address; /* faults */
        struct {
            i32 pid;
            u32 uid;
            u64 value;
        } sender;
        struct { /* SIGSYS */
            u64 pc;
            i32 number;
            u32 machine;
        } call;
        u8 rest[112];
    };
};

#endif
