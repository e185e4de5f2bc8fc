/* The structures that system calls of x86-64 Linux read and write, in the kernel's layout.
 *
 * Where only the size matters, an array of bytes stands for the fields. A unit test compares the
 * sizes with the headers of the kernel and the C library, which differ from each other in places.
 */
#ifndef LOG_SYSCALL_STRUCTS_H
#define LOG_SYSCALL_STRUCTS_H

#include "base/types.h"
#include "log/kernel_structs.h"
#include "log/syscall_vectors.h"

struct k_pollfd {
    i32 fd;
    i16 events;
    i16 revents;
};

struct __attribute__((packed)) k_epoll_event {
    u32 events;
    u64 data;
};

/* Asynchronous input and output. */
struct k_iocb {
    u64 data;
    u32 key;
    u32 rw_flags;
    u16 operation;
    i16 priority;
    u32 fd;
    u64 buffer;
    u64 size;
    u64 offset;
    u64 reserved;
    u32 flags;
    u32 event_fd;
};

struct k_io_event {
    u64 data;
    u64 block;
    i64 result;
    i64 result2;
};

/* clone3, as far as the kernel writes to it. */
struct k_clone3 {
    u64 flags;
    u64 pidfd;
    u64 child_tid;
    u64 parent_tid;
};

struct k_xattr_args {
    u64 value;
    u32 size;
    u32 flags;
};

struct k_ifconf {
    i32 size;
    i32 padding;
    u64 buffer;
};

struct k_fiemap {
    u64 start, length;
    u32 flags;
    u32 mapped;
    u32 count;
    u32 reserved;
};

enum { K_FIEMAP_EXTENT_SIZE = 56, K_SOCKADDR_MOST = 128 };

#define K_STRUCTS(X)                                                                              \
    X(statfs, 120)         X(ustat, 32)           X(timevals, 32)      X(timespecs, 32)           \
    X(itimerval, 32)       X(itimerspec, 32)      X(tms, 32)           X(timex, 208)              \
    X(utimbuf, 16)         X(rusage, 144)         X(rlimit, 16)        X(sysinfo, 112)            \
    X(utsname, 390)        X(fds, 8)              X(status, 4)         X(child_info, 28)          \
    X(sigset, 8)           X(sigevent, 64)        X(mask_and_size, 16) X(cap_header, 8)           \
    X(cap_data, 24)        X(sembuf, 6)           X(mq_attr, 64)       X(sched_attr, 56)          \
    X(open_how, 24)        X(futex_waitv, 24)     X(futex_waitvs, 48)  X(cachestat, 40)           \
    X(cachestat_range, 16) X(shmid_ds, 112)       X(shminfo, 72)       X(shm_info, 48)            \
    X(msqid_ds, 120)       X(msginfo, 32)         X(semid_ds, 104)     X(seminfo, 40)             \
    X(dqblk, 72)           X(nextdqblk, 72)       X(dqinfo, 24)        X(fs_disk_quota, 112)      \
    X(fs_quota_stat, 80)   X(fs_quota_statv, 160) X(termio, 18)        X(termios, 36)             \
    X(termios2, 44)        X(winsize, 8)          X(serial, 72)        X(serial_counts, 80)       \
    X(rs485, 32)           X(vt_mode, 8)          X(vt_stat, 6)        X(ifreq, 40)               \
    X(arpreq, 68)          X(iwreq, 32)           X(fsxattr, 28)       X(fstrim, 24)              \
    X(filter_place, 16)    X(notif_sizes, 6)                                                      \
    X(label, 256)          X(fsuuid, 17)          X(clone_range, 32)   X(geometry, 16)            \
    X(identity, 512)       X(loop_info, 168)      X(loop_info64, 232)  X(loop_config, 304)        \
    X(rtc_time, 36)        X(rtc_alarm, 40)       X(epoll_params, 8)   X(flock, 32)               \
    X(owner, 8)            X(two_ids, 8)          X(comm, 16)          X(range, 16)               \
    X(user_regs, 216)      X(user_fpregs, 512)    X(thread_area, 16)   X(filters, 32768)          \
    X(siginfos, 32768)

#define K_STRUCT_DECLARE(name, bytes_) struct k_##name { u8 bytes[bytes_]; };
K_STRUCTS(K_STRUCT_DECLARE)
#undef K_STRUCT_DECLARE

/* Rows name these for display; their sizes come with each call. */
struct k_sockaddr {
    u8 byte;
};
struct k_option {
    u8 byte;
};
struct k_dirents {
    u8 byte;
};
struct k_text {
    u8 byte;
};
struct k_cpus {
    u8 byte;
};

#endif
