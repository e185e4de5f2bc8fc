/* The names of flags and other numbers in arguments of system calls.
 *
 * Most values come from the system's headers; those that Debian 12 lacks are given by number.
 */
#include "log/syscall_words_internal.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/memfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define W(name) {#name, (u64)(name)}
#define END {NULL, 0}
#define LIST(name, ...) static const struct word name[] = {__VA_ARGS__, END};

/* Files.  The kernel's O_LARGEFILE, which is 0 for programs of 64 bits. */
/* clang-format off */
LIST(open_kinds, W(O_RDONLY), W(O_WRONLY), W(O_RDWR), W(O_ACCMODE))
LIST(open_bits, W(O_CREAT), W(O_EXCL), W(O_NOCTTY), W(O_TRUNC), W(O_APPEND), W(O_NONBLOCK), W(O_SYNC),
     W(O_DSYNC), W(O_ASYNC), W(O_DIRECT), {"O_LARGEFILE", 0100000}, W(O_NOFOLLOW), W(O_NOATIME),
     W(O_CLOEXEC), W(O_PATH), W(O_TMPFILE), W(O_DIRECTORY))
LIST(seek_kinds, W(SEEK_SET), W(SEEK_CUR), W(SEEK_END), W(SEEK_DATA), W(SEEK_HOLE))
LIST(access_bits, W(R_OK), W(W_OK), W(X_OK))
LIST(flock_bits, W(LOCK_SH), W(LOCK_EX), W(LOCK_UN), W(LOCK_NB))
LIST(at_bits, W(AT_SYMLINK_NOFOLLOW), {"AT_REMOVEDIR", 0x200}, W(AT_SYMLINK_FOLLOW),
     W(AT_NO_AUTOMOUNT), W(AT_EMPTY_PATH), {"AT_RECURSIVE", 0x8000})
LIST(atx_kinds, {"AT_STATX_SYNC_AS_STAT", 0}, {"AT_STATX_FORCE_SYNC", 0x2000},
     {"AT_STATX_DONT_SYNC", 0x4000})
LIST(fadvise_kinds, W(POSIX_FADV_NORMAL), W(POSIX_FADV_RANDOM), W(POSIX_FADV_SEQUENTIAL),
     W(POSIX_FADV_WILLNEED), W(POSIX_FADV_DONTNEED), W(POSIX_FADV_NOREUSE))
LIST(rename_bits, {"RENAME_NOREPLACE", 1}, {"RENAME_EXCHANGE", 2}, {"RENAME_WHITEOUT", 4})
LIST(splice_bits, W(SPLICE_F_MOVE), W(SPLICE_F_NONBLOCK), W(SPLICE_F_MORE), W(SPLICE_F_GIFT))
LIST(rwf_bits, {"RWF_HIPRI", 1}, {"RWF_DSYNC", 2}, {"RWF_SYNC", 4}, {"RWF_NOWAIT", 8}, {"RWF_APPEND", 16})
LIST(statx_bits, {"STATX_ALL", 0xfff}, {"STATX_BASIC_STATS", 0x7ff}, {"STATX_TYPE", 1}, {"STATX_MODE", 2},
     {"STATX_NLINK", 4}, {"STATX_UID", 8}, {"STATX_GID", 0x10}, {"STATX_ATIME", 0x20}, {"STATX_MTIME", 0x40},
     {"STATX_CTIME", 0x80}, {"STATX_INO", 0x100}, {"STATX_SIZE", 0x200}, {"STATX_BLOCKS", 0x400},
     {"STATX_BTIME", 0x800}, {"STATX_MNT_ID", 0x1000}, {"STATX_DIOALIGN", 0x2000})
LIST(memfd_bits, W(MFD_CLOEXEC), W(MFD_ALLOW_SEALING), W(MFD_HUGETLB), {"MFD_NOEXEC_SEAL", 8}, {"MFD_EXEC", 16})
LIST(fd_bits, W(FD_CLOEXEC))
LIST(timerfd_bits, W(TFD_CLOEXEC), W(TFD_NONBLOCK))
LIST(eventfd_bits, {"EFD_SEMAPHORE", 1}, {"EFD_CLOEXEC", O_CLOEXEC}, {"EFD_NONBLOCK", O_NONBLOCK})
LIST(inotify_init_bits, W(IN_CLOEXEC), W(IN_NONBLOCK))
LIST(inotify_bits, W(IN_ACCESS), W(IN_MODIFY), W(IN_ATTRIB), W(IN_CLOSE_WRITE), W(IN_CLOSE_NOWRITE),
     W(IN_OPEN), W(IN_MOVED_FROM), W(IN_MOVED_TO), W(IN_CREATE), W(IN_DELETE), W(IN_DELETE_SELF),
     W(IN_MOVE_SELF), W(IN_ONLYDIR), W(IN_DONT_FOLLOW), W(IN_EXCL_UNLINK), W(IN_MASK_ADD), W(IN_ONESHOT))

/* Memory */
LIST(prot_bits, W(PROT_READ), W(PROT_WRITE), W(PROT_EXEC), W(PROT_GROWSDOWN), W(PROT_GROWSUP))
LIST(map_kinds, W(MAP_SHARED), W(MAP_PRIVATE), {"MAP_SHARED_VALIDATE", 3})
LIST(map_bits, W(MAP_FIXED), W(MAP_ANONYMOUS), W(MAP_32BIT), W(MAP_NORESERVE), W(MAP_POPULATE), W(MAP_NONBLOCK),
     W(MAP_GROWSDOWN), W(MAP_DENYWRITE), W(MAP_EXECUTABLE), W(MAP_LOCKED), W(MAP_STACK), W(MAP_HUGETLB),
     W(MAP_SYNC), W(MAP_FIXED_NOREPLACE))
LIST(mremap_bits, W(MREMAP_MAYMOVE), W(MREMAP_FIXED), {"MREMAP_DONTUNMAP", 4})
LIST(msync_bits, W(MS_ASYNC), W(MS_INVALIDATE), W(MS_SYNC))
LIST(madvise_kinds, W(MADV_NORMAL), W(MADV_RANDOM), W(MADV_SEQUENTIAL), W(MADV_WILLNEED), W(MADV_DONTNEED),
     W(MADV_FREE), W(MADV_REMOVE), W(MADV_DONTFORK), W(MADV_DOFORK), W(MADV_MERGEABLE), W(MADV_UNMERGEABLE),
     W(MADV_HUGEPAGE), W(MADV_NOHUGEPAGE), W(MADV_DONTDUMP), W(MADV_DODUMP), W(MADV_WIPEONFORK),
     W(MADV_KEEPONFORK), {"MADV_COLD", 20}, {"MADV_PAGEOUT", 21}, {"MADV_POPULATE_READ", 22},
     {"MADV_POPULATE_WRITE", 23}, {"MADV_COLLAPSE", 25})

/* Sockets */
LIST(families, W(AF_UNSPEC), W(AF_UNIX), W(AF_INET), W(AF_INET6), W(AF_NETLINK), W(AF_PACKET), W(AF_BLUETOOTH),
     W(AF_ALG), W(AF_VSOCK), W(AF_XDP))
LIST(socket_kinds, W(SOCK_STREAM), W(SOCK_DGRAM), W(SOCK_RAW), W(SOCK_RDM), W(SOCK_SEQPACKET), W(SOCK_DCCP),
     W(SOCK_PACKET))
LIST(socket_bits, W(SOCK_CLOEXEC), W(SOCK_NONBLOCK))
LIST(message_bits, W(MSG_OOB), W(MSG_PEEK), W(MSG_DONTROUTE), W(MSG_CTRUNC), {"MSG_PROBE", 0x10}, W(MSG_TRUNC),
     W(MSG_DONTWAIT), W(MSG_EOR), W(MSG_WAITALL), W(MSG_FIN), W(MSG_SYN), W(MSG_CONFIRM), W(MSG_RST),
     W(MSG_ERRQUEUE), W(MSG_NOSIGNAL), W(MSG_MORE), W(MSG_WAITFORONE), W(MSG_ZEROCOPY), W(MSG_FASTOPEN),
     W(MSG_CMSG_CLOEXEC))
LIST(shutdown_kinds, W(SHUT_RD), W(SHUT_WR), W(SHUT_RDWR))
LIST(level_kinds, W(SOL_SOCKET), {"SOL_IP", 0}, {"SOL_TCP", 6}, {"SOL_UDP", 17}, {"SOL_IPV6", 41}, W(SOL_NETLINK),
     W(SOL_PACKET))

/* Waiting */
LIST(poll_bits, W(POLLIN), W(POLLPRI), W(POLLOUT), W(POLLRDNORM), W(POLLRDBAND), W(POLLWRNORM), W(POLLWRBAND),
     {"POLLMSG", 0x400}, {"POLLRDHUP", 0x2000}, W(POLLERR), W(POLLHUP), W(POLLNVAL))
LIST(epoll_bits, W(EPOLLIN), W(EPOLLPRI), W(EPOLLOUT), W(EPOLLRDNORM), W(EPOLLRDBAND), W(EPOLLWRNORM),
     W(EPOLLWRBAND), W(EPOLLMSG), W(EPOLLERR), W(EPOLLHUP), W(EPOLLRDHUP), W(EPOLLEXCLUSIVE), W(EPOLLWAKEUP),
     W(EPOLLONESHOT), W(EPOLLET))
LIST(epoll_operations, W(EPOLL_CTL_ADD), W(EPOLL_CTL_DEL), W(EPOLL_CTL_MOD))
LIST(epoll_create_bits, W(EPOLL_CLOEXEC))
LIST(wait_bits, W(WNOHANG), W(WSTOPPED), W(WEXITED), W(WCONTINUED), W(WNOWAIT), {"__WNOTHREAD", 0x20000000},
     {"__WALL", 0x40000000}, {"__WCLONE", 0x80000000})
LIST(id_kinds, W(P_ALL), W(P_PID), W(P_PGID), {"P_PIDFD", 3})

/* Processes, time, the rest */
LIST(clone_bits, W(CLONE_VM), W(CLONE_FS), W(CLONE_FILES), W(CLONE_SIGHAND), {"CLONE_PIDFD", 0x1000},
     W(CLONE_PTRACE), W(CLONE_VFORK), W(CLONE_PARENT), W(CLONE_THREAD), W(CLONE_NEWNS), W(CLONE_SYSVSEM),
     W(CLONE_SETTLS), W(CLONE_PARENT_SETTID), W(CLONE_CHILD_CLEARTID), W(CLONE_DETACHED), W(CLONE_UNTRACED),
     W(CLONE_CHILD_SETTID), W(CLONE_NEWCGROUP), W(CLONE_NEWUTS), W(CLONE_NEWIPC), W(CLONE_NEWUSER),
     W(CLONE_NEWPID), W(CLONE_NEWNET), W(CLONE_IO), {"CLONE_CLEAR_SIGHAND", 0x100000000},
     {"CLONE_INTO_CGROUP", 0x200000000})
LIST(itimer_kinds, W(ITIMER_REAL), W(ITIMER_VIRTUAL), W(ITIMER_PROF))
LIST(clock_kinds, W(CLOCK_REALTIME), W(CLOCK_MONOTONIC), W(CLOCK_PROCESS_CPUTIME_ID), W(CLOCK_THREAD_CPUTIME_ID),
     W(CLOCK_MONOTONIC_RAW), W(CLOCK_REALTIME_COARSE), W(CLOCK_MONOTONIC_COARSE), W(CLOCK_BOOTTIME),
     W(CLOCK_REALTIME_ALARM), W(CLOCK_BOOTTIME_ALARM), W(CLOCK_TAI))
LIST(timer_bits, W(TIMER_ABSTIME))
LIST(resource_kinds, W(RLIMIT_CPU), W(RLIMIT_FSIZE), W(RLIMIT_DATA), W(RLIMIT_STACK), W(RLIMIT_CORE), W(RLIMIT_RSS),
     W(RLIMIT_NPROC), W(RLIMIT_NOFILE), W(RLIMIT_MEMLOCK), W(RLIMIT_AS), W(RLIMIT_LOCKS), W(RLIMIT_SIGPENDING),
     W(RLIMIT_MSGQUEUE), W(RLIMIT_NICE), W(RLIMIT_RTPRIO), W(RLIMIT_RTTIME))
LIST(usage_kinds, W(RUSAGE_SELF), W(RUSAGE_CHILDREN), W(RUSAGE_THREAD))
LIST(mask_kinds, W(SIG_BLOCK), W(SIG_UNBLOCK), W(SIG_SETMASK))
LIST(scheduler_kinds, W(SCHED_OTHER), W(SCHED_FIFO), W(SCHED_RR), W(SCHED_BATCH), W(SCHED_IDLE), {"SCHED_DEADLINE", 6})
LIST(arch_kinds, {"ARCH_SET_GS", 0x1001}, {"ARCH_SET_FS", 0x1002}, {"ARCH_GET_FS", 0x1003}, {"ARCH_GET_GS", 0x1004},
     {"ARCH_GET_CPUID", 0x1011}, {"ARCH_SET_CPUID", 0x1012})
LIST(seccomp_kinds, {"SECCOMP_SET_MODE_STRICT", 0}, {"SECCOMP_SET_MODE_FILTER", 1}, {"SECCOMP_GET_ACTION_AVAIL", 2},
     {"SECCOMP_GET_NOTIF_SIZES", 3})
LIST(random_bits, W(GRND_NONBLOCK), W(GRND_RANDOM), {"GRND_INSECURE", 4})
LIST(signal_bits, {"SA_RESTORER", 0x4000000}, W(SA_ONSTACK), W(SA_RESTART), W(SA_INTERRUPT), W(SA_NODEFER),
     {"SA_RESETHAND", 0x80000000}, W(SA_NOCLDSTOP), W(SA_SIGINFO), W(SA_NOCLDWAIT))
/* clang-format on */

#define KINDS(list)             {list, ~0ul, NULL, NULL}
#define BITS(list)              {NULL, 0, list, NULL}
#define BITS_OR(list, zero)     {NULL, 0, list, zero}
#define BOTH(kinds, mask, bits) {kinds, mask, bits, NULL}

const struct words words_poll = BITS(poll_bits);
const struct words words_epoll = BITS(epoll_bits);
const struct words words_signal_flags = BITS(signal_bits);
const struct words words_message_flags = BITS(message_bits);

static const struct words words[SHOWS] = {
    [SHOW_OPEN] = BOTH(open_kinds, O_ACCMODE, open_bits),
    [SHOW_OPENX] = BITS(open_bits),
    [SHOW_PROT] = BITS_OR(prot_bits, "PROT_NONE"),
    [SHOW_MAP] = BOTH(map_kinds, MAP_TYPE, map_bits),
    [SHOW_SEEK] = KINDS(seek_kinds),
    [SHOW_ACCESS] = BITS_OR(access_bits, "F_OK"),
    [SHOW_MREMAP] = BITS(mremap_bits),
    [SHOW_MSYNC] = BITS(msync_bits),
    [SHOW_MADV] = KINDS(madvise_kinds),
    [SHOW_FADV] = KINDS(fadvise_kinds),
    [SHOW_ITIMER] = KINDS(itimer_kinds),
    [SHOW_DOMAIN] = KINDS(families),
    [SHOW_SOCKTYPE] = BOTH(socket_kinds, 0xf, socket_bits),
    [SHOW_SOCKFLAGS] = BITS(socket_bits),
    [SHOW_MSG] = BITS(message_bits),
    [SHOW_SHUT] = KINDS(shutdown_kinds),
    [SHOW_LEVEL] = KINDS(level_kinds),
    [SHOW_WAITOPTS] = BITS(wait_bits),
    [SHOW_FLOCK] = BITS(flock_bits),
    [SHOW_RESOURCE] = KINDS(resource_kinds),
    [SHOW_USAGE] = KINDS(usage_kinds),
    [SHOW_SIGHOW] = KINDS(mask_kinds),
    [SHOW_SCHED] = KINDS(scheduler_kinds),
    [SHOW_ARCH] = KINDS(arch_kinds),
    [SHOW_SECCOMP] = KINDS(seccomp_kinds),
    [SHOW_CLOCK] = KINDS(clock_kinds),
    [SHOW_TIMERABS] = BITS(timer_bits),
    [SHOW_EPOLLOP] = KINDS(epoll_operations),
    [SHOW_EPOLLFLAGS] = BITS(epoll_create_bits),
    [SHOW_IDTYPE] = KINDS(id_kinds),
    [SHOW_INOTIFY] = BITS(inotify_bits),
    [SHOW_INFLAGS] = BITS(inotify_init_bits),
    [SHOW_AT] = BITS(at_bits),
    [SHOW_ATRM] = BITS(at_bits),
    [SHOW_ATX] = BOTH(atx_kinds, 0x6000, at_bits),
    [SHOW_SPLICE] = BITS(splice_bits),
    [SHOW_FDFLAGS] = BITS(timerfd_bits),
    [SHOW_FDFLAG] = BITS(fd_bits),
    [SHOW_EFD] = BITS(eventfd_bits),
    [SHOW_RENAME] = BITS(rename_bits),
    [SHOW_RANDOM] = BITS(random_bits),
    [SHOW_MEMFD] = BITS(memfd_bits),
    [SHOW_RWF] = BITS(rwf_bits),
    [SHOW_STATX] = BITS(statx_bits),
    [SHOW_CLONE] = BITS(clone_bits),
};

const struct words *words_of(enum arg_show show)
{
    const struct words *w = &words[show];
    return w->kinds || w->bits ? w : NULL;
}

const char *words_find(const struct word *list, u64 value)
{
    for (; list->name; list++) {
        if (list->value == value)
            return list->name;
    }
    return NULL;
}

/* A list has names that stand for several bits before the names of their parts. */
static u64 print_bits(FILE *to, const struct word *bits, u64 value, const char **between)
{
    for (; bits->name && value; bits++) {
        if (bits->value && (value & bits->value) == bits->value) {
            fprintf(to, "%s%s", *between, bits->name);
            *between = "|";
            value &= ~bits->value;
        }
    }
    return value;
}

/* Without bits, a value without a name is printed as a number: clocks can be negative. */
static void print_kind(FILE *to, const struct words *w, u64 value)
{
    const char *name = words_find(w->kinds, value);
    if (name)
        fputs(name, to);
    else if (w->kind_mask == ~0ul)
        fprintf(to, "%ld", (long)(i64)value);
    else
        fprintf(to, "%#lx", (unsigned long)value);
}

void words_print(FILE *to, const struct words *w, u64 value)
{
    const char *between = "";
    if (w->kind_mask == ~0ul)
        value = (u64)(i64)(i32)value;
    if (w->kinds) {
        print_kind(to, w, value & w->kind_mask);
        value &= ~w->kind_mask;
        between = "|";
    } else if (!value) {
        fputs(w->none ? w->none : "0", to);
        return;
    }
    if (w->bits)
        value = print_bits(to, w->bits, value, &between);
    if (value)
        fprintf(to, "%s%#lx", between, (unsigned long)value);
}

const char *words_family(u64 family)
{
    return words_find(families, family);
}

/* Signals */

const char *words_signal(u64 number)
{
    static const char names[][8] = {
        "0",    "HUP",  "INT",  "QUIT", "ILL",  "TRAP", "ABRT", "BUS",    "FPE",  "KILL",  "USR1",
        "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP",  "TTIN",
        "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",  "PWR",  "SYS"};
    return number && number < countof(names) ? names[number] : NULL;
}

void words_print_signal(FILE *to, u64 number)
{
    const char *name = words_signal(number);
    if (name)
        fprintf(to, "SIG%s", name);
    else if (number >= 32 && number <= 64)
        number == 32 ? fputs("SIGRTMIN", to) : fprintf(to, "SIGRT_%d", (int)number - 32);
    else
        fprintf(to, "%d", (int)number);
}
