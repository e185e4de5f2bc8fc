/* The rows of the system-call tables, from their .def files; and the small tables of calls with few
 * variants.
 *
 * Only data, and the functions that select the variant of a call. Each call has two parts: its
 * traits, eight bytes that are read at every call, and its row, which is large. syscall_table.c
 * interprets rows.
 */
#include "log/syscall_rows_internal.h"
#include "log/syscall_table_internal.h"

#define KEY(table, expression)                                                                    \
    static u64 table##_key(const u64 *args)                                                       \
    {                                                                                             \
        return expression;                                                                        \
    }
#define VARIANTS(table)                                                                           \
    static const struct syscall_variants table##_variants = {table##_rows, countof(table##_rows), \
                                                             table##_key};

/* ioctl */

#define IOC(request, name_, ...)                                                                  \
    ROW(request, #name_, PLAIN, NUMBER, .args = {FD(fd), IOCTL(request), __VA_ARGS__})
#define UNK_IOC(request, name_, ...)                                                              \
    ROW(request, #name_, PLAIN, NUMBER, .unknown = true,                                    \
        .args = {FD(fd), IOCTL(request), __VA_ARGS__})
static const struct syscall_row ioctls_rows[] = {
#include "log/ioctls.def"
};
KEY(ioctls, (u32)args[1])
VARIANTS(ioctls)

const struct syscall_row syscall_ioctl_flat =
    {.name = NULL, .result = GIVES_NUMBER,
     .args = {FD(fd), IOCTL(request), INOUT_ON(EVER, arg, ENCODED(a1))}};

/* fcntl */

#define FCN(cmd_, name_, effects_, result_, ...)                                                  \
    ROW(cmd_, #name_, effects_, result_, .args = {FD(fd), FCNTL(cmd), __VA_ARGS__})
static const struct syscall_row fcntl_rows[] = {
#include "log/fcntl.def"
};
KEY(fcntl, (u32)args[1])
VARIANTS(fcntl)

/* prctl */

#define PRC(option_, name_, effects_, result_, ...)                                               \
    ROW(option_, #name_, effects_, result_, .args = {PRCTL(option), __VA_ARGS__})
static const struct syscall_row prctl_rows[] = {
#include "log/prctl.def"
};
KEY(prctl, (u32)args[0])
VARIANTS(prctl)

/* ptrace */

#define PTC(request_, name_, result_, ...)                                                        \
    ROW(request_, #name_, PLAIN, result_, .args = {PTRACE(request), PID(pid), __VA_ARGS__})
static const struct syscall_row ptrace_rows[] = {
#include "log/ptrace.def"
};
KEY(ptrace, args[0])
VARIANTS(ptrace)

/* getsockopt */

#define LEVEL_SOL_SOCKET  1
#define LEVEL_SOL_IP      0
#define LEVEL_SOL_TCP     6
#define LEVEL_SOL_UDP     17
#define LEVEL_SOL_IPV6    41
#define LEVEL_SOL_NETLINK 270
#define VALUE_INTEGER      .args = {OPTION_ARGS(ITEMS(at4, i32), BYTES(at4))}
#define VALUE_OTHER        .args = {OPTION_ARGS(BYTES_OF(struct k_option, at4), BYTES(at4))}
#define VALUE_INSTRUCTIONS .args = {OPTION_ARGS(ITEMS(at4, u64), ITEMS(at4, u64))}
#define VALUE_FAR          .unknown = true, VALUE_OTHER
#define OPTION_ARGS(...)                                                                          \
    FD(fd), LEVEL(level), OPTION(name), OUT(value, __VA_ARGS__), INOUT_ON(EVER, len, ONE(u32))
#define OPT(level_, number_, name_, value_)                                                       \
    ROW((u64)LEVEL_##level_ << 32 | number_, #name_, PLAIN, ZERO, VALUE_##value_)
static const struct syscall_row sockopts_rows[] = {
#include "log/sockopts.def"
};
KEY(sockopts, args[1] << 32 | (u32)args[2])
VARIANTS(sockopts)

const struct syscall_variants *const syscall_sockopts = &sockopts_variants;

/* setsockopt: replacing a table of the packet filter writes its old counters through a pointer. */

#define SET(level_, number_, name_)                                                               \
    ROW((u64)LEVEL_##level_ << 32 | number_, #name_, PLAIN, ZERO, .unknown = true,                \
        .args = {FD(fd), LEVEL(level), OPTION(name),                                              \
                 IN(value, BYTES_OF(struct k_option, w4)), UINT(len)})
static const struct syscall_row set_sockopts_rows[] = {
    SET(SOL_IP,    64, IPT_SO_SET_REPLACE)
    SET(SOL_IP,    96, ARPT_SO_SET_REPLACE)
    SET(SOL_IP,   128, EBT_SO_SET_ENTRIES)
    SET(SOL_IPV6,  64, IP6T_SO_SET_REPLACE)
};
KEY(set_sockopts, args[1] << 32 | (u32)args[2])
VARIANTS(set_sockopts)

/* Queues, semaphores and shared memory of System V: the version bit 0x100 means nothing here. */

#define SHM(cmd_, name_, ...)                                                                     \
    ROW(cmd_, #name_, PLAIN, NUMBER, .args = {INT(id), INT(cmd), __VA_ARGS__})
static const struct syscall_row shmctl_rows[] = {
    SHM(0,  IPC_RMID,     PTR(buf))
    SHM(1,  IPC_SET,      IN(buf, ONE(struct k_shmid_ds)))
    SHM(2,  IPC_STAT,     OUT(buf, ONE(struct k_shmid_ds)))
    SHM(3,  IPC_INFO,     OUT(buf, ONE(struct k_shminfo)))
    SHM(11, SHM_LOCK,     PTR(buf))
    SHM(12, SHM_UNLOCK,   PTR(buf))
    SHM(13, SHM_STAT,     OUT(buf, ONE(struct k_shmid_ds)))
    SHM(14, SHM_INFO,     OUT(buf, ONE(struct k_shm_info)))
    SHM(15, SHM_STAT_ANY, OUT(buf, ONE(struct k_shmid_ds)))
};
KEY(shmctl, (u32)args[1] & ~0x100u)
VARIANTS(shmctl)

static const struct syscall_row msgctl_rows[] = {
    SHM(0,  IPC_RMID,     PTR(buf))
    SHM(1,  IPC_SET,      IN(buf, ONE(struct k_msqid_ds)))
    SHM(2,  IPC_STAT,     OUT(buf, ONE(struct k_msqid_ds)))
    SHM(3,  IPC_INFO,     OUT(buf, ONE(struct k_msginfo)))
    SHM(11, MSG_STAT,     OUT(buf, ONE(struct k_msqid_ds)))
    SHM(12, MSG_INFO,     OUT(buf, ONE(struct k_msginfo)))
    SHM(13, MSG_STAT_ANY, OUT(buf, ONE(struct k_msqid_ds)))
};
KEY(msgctl, (u32)args[1] & ~0x100u)
VARIANTS(msgctl)

/* GETALL is missing here: only the kernel knows how many there are. */
#define SEM(cmd_, name_, ...)                                                                     \
    ROW(cmd_, #name_, PLAIN, NUMBER, .args = {INT(id), INT(num), INT(cmd), __VA_ARGS__})
static const struct syscall_row semctl_rows[] = {
    SEM(0,  IPC_RMID,     PTR(arg))
    SEM(1,  IPC_SET,      IN(arg, ONE(struct k_semid_ds)))
    SEM(2,  IPC_STAT,     OUT(arg, ONE(struct k_semid_ds)))
    SEM(3,  IPC_INFO,     OUT(arg, ONE(struct k_seminfo)))
    SEM(11, GETPID,       PTR(arg))
    SEM(12, GETVAL,       PTR(arg))
    SEM(14, GETNCNT,      PTR(arg))
    SEM(15, GETZCNT,      PTR(arg))
    SEM(16, SETVAL,       INT(arg))
    SEM(17, SETALL,       PTR(arg))
    SEM(18, SEM_STAT,     OUT(arg, ONE(struct k_semid_ds)))
    SEM(19, SEM_INFO,     OUT(arg, ONE(struct k_seminfo)))
    SEM(20, SEM_STAT_ANY, OUT(arg, ONE(struct k_semid_ds)))
};
KEY(semctl, (u32)args[2] & ~0x100u)
VARIANTS(semctl)

/* Quotas, by two calls that differ in their first two arguments. */

#define QUOTAS(Q)                                                                                 \
    Q(0x800001, Q_SYNC,          NOTHING)                                                         \
    Q(0x800002, Q_QUOTAON,       PATH(addr))                                                      \
    Q(0x800003, Q_QUOTAOFF,      NOTHING)                                                         \
    Q(0x800004, Q_GETFMT,        OUT(addr, ONE(u32)))                                             \
    Q(0x800005, Q_GETINFO,       OUT(addr, ONE(struct k_dqinfo)))                                 \
    Q(0x800006, Q_SETINFO,       IN(addr, ONE(struct k_dqinfo)))                                  \
    Q(0x800007, Q_GETQUOTA,      OUT(addr, ONE(struct k_dqblk)))                                  \
    Q(0x800008, Q_SETQUOTA,      IN(addr, ONE(struct k_dqblk)))                                   \
    Q(0x800009, Q_GETNEXTQUOTA,  OUT(addr, ONE(struct k_nextdqblk)))                              \
    Q(0x5801,   Q_XQUOTAON,      IN(addr, ONE(u32)))                                              \
    Q(0x5802,   Q_XQUOTAOFF,     IN(addr, ONE(u32)))                                              \
    Q(0x5803,   Q_XGETQUOTA,     OUT(addr, ONE(struct k_fs_disk_quota)))                          \
    Q(0x5804,   Q_XSETQLIM,      IN(addr, ONE(struct k_fs_disk_quota)))                           \
    Q(0x5805,   Q_XGETQSTAT,     OUT(addr, ONE(struct k_fs_quota_stat)))                          \
    Q(0x5808,   Q_XGETQSTATV,    INOUT(addr, ONE(struct k_fs_quota_statv)))                       \
    Q(0x5809,   Q_XGETNEXTQUOTA, OUT(addr, ONE(struct k_fs_disk_quota)))
#define QUOTA(cmd_, name_, ...)                                                                   \
    ROW(cmd_, #name_, PLAIN, ZERO, .args = {HEX(cmd), PATH(special), INT(id), __VA_ARGS__})
#define QUOTA_FD(cmd_, name_, ...)                                                                \
    ROW(cmd_, #name_, PLAIN, ZERO, .args = {FD(fd), HEX(cmd), INT(id), __VA_ARGS__})

static const struct syscall_row quotactl_rows[] = {QUOTAS(QUOTA)};
KEY(quotactl, (u32)args[0] >> 8)
VARIANTS(quotactl)

static const struct syscall_row quotactl_fd_rows[] = {QUOTAS(QUOTA_FD)};
KEY(quotactl_fd, (u32)args[1] >> 8)
VARIANTS(quotactl_fd)

/* The kernel's messages */

static const struct syscall_row syslog_rows[] = {
#define KLOG(type_, name_)                                                                        \
    ROW(type_, #name_, PLAIN, COUNT,                                                        \
        .args = {INT(type), OUT(buf, BYTES(w2), BYTES(ret)), INT(len)})
    KLOG(2, SYSLOG_ACTION_READ)
    KLOG(3, SYSLOG_ACTION_READ_ALL)
    KLOG(4, SYSLOG_ACTION_READ_CLEAR)
};
KEY(syslog, (u32)args[0])
VARIANTS(syslog)

/* The name of a file system, ended by a NUL. */
static const struct syscall_row sysfs_rows[] = {
    ROW(2, NULL, PLAIN, ZERO,
        .args = {INT(option), INT(index), {.name = "buf", .show = SHOW_MEMORY, .way = ARG_OUT,
                                           .shape = SHAPE_STRING}})
};
KEY(sysfs, (u32)args[0])
VARIANTS(sysfs)

static const struct syscall_row arch_prctl_rows[] = {
#define ARC(code_, name_, ...)                                                                    \
    ROW(code_, #name_, PLAIN, ZERO, .args = {ARCH(code), __VA_ARGS__})
    ARC(0x1001, ARCH_SET_GS,               PTR(addr))
    ARC(0x1002, ARCH_SET_FS,               PTR(addr))
    ARC(0x1003, ARCH_GET_FS,               OUT(addr, ONE(u64)))
    ARC(0x1004, ARCH_GET_GS,               OUT(addr, ONE(u64)))
    ARC(0x1011, ARCH_GET_CPUID,            NOTHING)
    ARC(0x1012, ARCH_SET_CPUID,            INT(on))
    ARC(0x1021, ARCH_GET_XCOMP_SUPP,       OUT(addr, ONE(u64)))
    ARC(0x1022, ARCH_GET_XCOMP_PERM,       OUT(addr, ONE(u64)))
    ARC(0x1023, ARCH_REQ_XCOMP_PERM,       INT(feature))
    ARC(0x1024, ARCH_GET_XCOMP_GUEST_PERM, OUT(addr, ONE(u64)))
    ARC(0x1025, ARCH_REQ_XCOMP_GUEST_PERM, INT(feature))
    ARC(0x4001, ARCH_GET_UNTAG_MASK,       OUT(addr, ONE(u64)))
    ARC(0x4003, ARCH_GET_MAX_TAG_BITS,     OUT(addr, ONE(u64)))
    ARC(0x5001, ARCH_SHSTK_ENABLE,         HEX(features))
    ARC(0x5002, ARCH_SHSTK_DISABLE,        HEX(features))
    ARC(0x5005, ARCH_SHSTK_STATUS,         OUT(addr, ONE(u64)))
};
KEY(arch_prctl, (u32)args[0])
VARIANTS(arch_prctl)

static const struct syscall_row seccomp_rows[] = {
#define SEC(op_, name_, ...)                                                                      \
    ROW(op_, #name_, PLAIN, NUMBER, .args = {SECCOMP(op), HEX(flags), __VA_ARGS__})
    SEC(0, SECCOMP_SET_MODE_STRICT,  PTR(args))
    SEC(1, SECCOMP_SET_MODE_FILTER,  IN(program, ONE(struct k_filter_place)))
    SEC(2, SECCOMP_GET_ACTION_AVAIL, IN(action, ONE(u32)))
    SEC(3, SECCOMP_GET_NOTIF_SIZES,  OUT(sizes, ONE(struct k_notif_sizes)))
};
KEY(seccomp, (u32)args[0])
VARIANTS(seccomp)

/* futex: the call changes only a word of a priority-inheritance lock, or that of the operation with
 * a built-in change. Other operations change words too, but not as part of the call. */

#define FUT(op_, name_, effects_, ...)                                                            \
    ROW(op_, #name_, effects_, NUMBER, .args = {__VA_ARGS__})
#define WORD(name_)  PTR(name_)
#define LOCK(name_)  INOUT_ON(EVER, name_, ONE(u32))
#define LIMIT        IN(limit, ONE(struct k_timespec))
static const struct syscall_row futex_rows[] = {
    /* clang-format off */
    FUT(0,  FUTEX_WAIT,            HAS(IN_PLACE, WAITS),        WORD(word), FUTEX(op), UINT(value), LIMIT)
    FUT(1,  FUTEX_WAKE,            HAS(IN_PLACE),               WORD(word), FUTEX(op), UINT(count))
    FUT(3,  FUTEX_REQUEUE,         HAS(IN_PLACE),               WORD(word), FUTEX(op), UINT(wake), UINT(move), WORD(word2))
    FUT(4,  FUTEX_CMP_REQUEUE,     HAS(IN_PLACE),               WORD(word), FUTEX(op), UINT(wake), UINT(move), WORD(word2), UINT(value))
    FUT(5,  FUTEX_WAKE_OP,         HAS(IN_PLACE, LOCKS),        WORD(word), FUTEX(op), UINT(wake), UINT(wake2), LOCK(word2), HEX(code))
    FUT(6,  FUTEX_LOCK_PI,         HAS(IN_PLACE, WAITS, LOCKS), LOCK(word), FUTEX(op), UINT(unused), LIMIT)
    FUT(7,  FUTEX_UNLOCK_PI,       HAS(IN_PLACE, LOCKS),        LOCK(word), FUTEX(op))
    FUT(8,  FUTEX_TRYLOCK_PI,      HAS(IN_PLACE, LOCKS),        LOCK(word), FUTEX(op))
    FUT(9,  FUTEX_WAIT_BITSET,     HAS(IN_PLACE, WAITS),        WORD(word), FUTEX(op), UINT(value), LIMIT, PTR(unused), HEX(bits))
    FUT(10, FUTEX_WAKE_BITSET,     HAS(IN_PLACE),               WORD(word), FUTEX(op), UINT(count), PTR(unused), PTR(unused), HEX(bits))
    FUT(11, FUTEX_WAIT_REQUEUE_PI, HAS(IN_PLACE, WAITS, LOCKS), WORD(word), FUTEX(op), UINT(value), LIMIT, LOCK(word2))
    FUT(12, FUTEX_CMP_REQUEUE_PI,  HAS(IN_PLACE, LOCKS),        WORD(word), FUTEX(op), UINT(wake), UINT(move), LOCK(word2), UINT(value))
    FUT(13, FUTEX_LOCK_PI2,        HAS(IN_PLACE, WAITS, LOCKS), LOCK(word), FUTEX(op), UINT(unused), LIMIT)
    /* clang-format on */
};
KEY(futex, (u32)args[1] & 0x7f)
VARIANTS(futex)

/* Keys. Operations missing here use memory in special ways. */
#define KCT(op_, name_, ...)                                                                      \
    ROW(op_, #name_, PLAIN, NUMBER, .args = {INT(op), __VA_ARGS__})
static const struct syscall_row keyctl_rows[] = {
    KCT(0,  KEYCTL_GET_KEYRING_ID,       INT(id), INT(create))
    KCT(1,  KEYCTL_JOIN_SESSION_KEYRING, PATH(name))
    KCT(2,  KEYCTL_UPDATE,               INT(id), IN(payload, BYTES(a3)), LEN(len))
    KCT(3,  KEYCTL_REVOKE,               INT(id))
    KCT(4,  KEYCTL_CHOWN,                INT(id), UID(uid), UID(gid))
    KCT(5,  KEYCTL_SETPERM,              INT(id), HEX(rights))
    KCT(6,  KEYCTL_DESCRIBE,             INT(id), OUT(buf, BYTES(a3), BYTES(ret)), LEN(len))
    KCT(7,  KEYCTL_CLEAR,                INT(ring))
    KCT(8,  KEYCTL_LINK,                 INT(id), INT(ring))
    KCT(9,  KEYCTL_UNLINK,               INT(id), INT(ring))
    KCT(10, KEYCTL_SEARCH,               INT(ring), PATH(type), PATH(description), INT(to))
    KCT(11, KEYCTL_READ,                 INT(id), OUT(buf, BYTES(a3), BYTES(ret)), LEN(len))
    KCT(12, KEYCTL_INSTANTIATE,          INT(id), IN(payload, BYTES(a3)), LEN(len), INT(ring))
    KCT(13, KEYCTL_NEGATE,               INT(id), UINT(seconds), INT(ring))
    KCT(14, KEYCTL_SET_REQKEY_KEYRING,   INT(which))
    KCT(15, KEYCTL_SET_TIMEOUT,          INT(id), UINT(seconds))
    KCT(16, KEYCTL_ASSUME_AUTHORITY,     INT(id))
    KCT(17, KEYCTL_GET_SECURITY,         INT(id), OUT(buf, BYTES(a3), BYTES(ret)), LEN(len))
    KCT(18, KEYCTL_SESSION_TO_PARENT,    NOTHING)
    KCT(19, KEYCTL_REJECT,               INT(id), UINT(seconds), INT(error), INT(ring))
    KCT(21, KEYCTL_INVALIDATE,           INT(id))
    KCT(22, KEYCTL_GET_PERSISTENT,       UID(uid), INT(ring))
    KCT(30, KEYCTL_MOVE,                 INT(id), INT(from), INT(to), HEX(flags))
    KCT(31, KEYCTL_CAPABILITIES,         OUT(buf, BYTES(a2)), LEN(len)) /* the rest is cleared */
};
KEY(keyctl, (u32)args[0])
VARIANTS(keyctl)

/* And the calls themselves. */

const struct syscall_row syscall_rows[SYSCALL_NUMBERS] = {
#include "log/syscalls.def"
};

#undef SYS
#undef SUB
#undef UNK
#define SYS(nr, name_, handler_, wait_, replay_, scratch_, effects_, ...)                         \
    [nr] = {effects_, WAIT_##wait_, WAY_##replay_, SCRATCH_##scratch_},
#define SUB SYS
#define UNK SYS
const struct syscall_traits syscall_traits[SYSCALL_NUMBERS + 1] = {
#include "log/syscalls.def"
};

const struct syscall_row syscall_unknown =
    {.name = NULL, .result = GIVES_NUMBER, .unknown = true,
     .args = {HEX(arg0), HEX(arg1), HEX(arg2), HEX(arg3), HEX(arg4), HEX(arg5)}};
