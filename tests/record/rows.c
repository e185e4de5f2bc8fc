/* Calls of every row of the system-call table, with arguments that fit and that do not.
 *
 *   rows SEED CASES [NAME...]    so many cases of each call, or of those named
 *   rows SEED CASES N/M          of each call whose number is N modulo M
 *
 * The row of a call says what each argument is: a descriptor, a path, memory of some size, a
 * length, flags. The program chooses a value of that kind at random. Some of them are invalid:
 * memory that is not mapped, that is too short or read-only, and numbers without a meaning. For
 * each case it prints a line with the answer of the call: an error, or that it succeeded.
 *
 * All cases of one call are made by one child. After each case, all memory that the call was given
 * is added up, and the sum is an argument of the next call. So a replay in which one byte is
 * missing differs.
 *
 * Calls that would harm the machine, never return, or end the test are left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log/syscall_table.h"

enum { PAGE = 4096, ARENA = 8 * PAGE, FDS = 12, SECONDS = 20 };

static const char *const left_out[] = {
    /* do not return, or do so elsewhere */
    "exit", "exit_group", "execve", "execveat", "fork", "vfork", "clone", "clone3", "rt_sigreturn",
    "pause", "rt_sigsuspend", "restart_syscall",
    /* wait for what does not come */
    "select", "poll", "ppoll", "pselect6", "nanosleep", "clock_nanosleep", "wait4", "waitid",
    "msgrcv", "semop", "semtimedop", "flock", "futex", "futex_wait", "futex_waitv", "sigtimedwait",
    "rt_sigtimedwait", "epoll_wait", "epoll_pwait", "epoll_pwait2", "mq_timedreceive",
    "mq_timedsend", "recvmmsg", "keyctl", "request_key", "add_key", "sched_yield", "vmsplice",
    "splice", "tee",
    /* are about others, or the machine */
    "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal",
    "ptrace", "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "create_module", "swapon", "swapoff", "mount", "umount2", "pivot_root",
    "chroot", "sethostname", "setdomainname", "settimeofday", "adjtimex", "clock_adjtime",
    "clock_settime", "acct", "quotactl", "quotactl_fd", "vhangup", "iopl", "ioperm", "syslog",
    "sysfs", "bpf", "perf_event_open", "sync", "syncfs", "nfsservctl", "open_tree", "move_mount",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr", "fanotify_init",
    "fanotify_mark", "process_mrelease", "process_madvise", "setpriority", "ioprio_set",
    "sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity", "migrate_pages",
    "move_pages", "mbind", "set_mempolicy", "set_mempolicy_home_node", "get_mempolicy",
    "sethostname", "lookup_dcookie", "_sysctl", "uselib", "ustat", "modify_ldt", "pkey_alloc",
    "pkey_free", "msgget", "semget", "shmget", "msgctl", "semctl", "shmctl", "msgsnd", "mq_open",
    "mq_unlink", "file_setattr", "listmount", "statmount",
    /* change what this program stands on */
    "close_range", "setrlimit", "prlimit64", "personality", "prctl", "arch_prctl",
    "set_thread_area", "unshare", "setns", "seccomp", "landlock_restrict_self", "alarm",
    "setitimer", "timer_create", "timer_settime", "rt_sigaction", "sigaltstack", "rt_sigprocmask",
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid",
    "setfsgid", "capset", "setpgid", "setsid", "chdir", "fchdir", "umask", "brk", "mmap", "munmap",
    "mremap", "shmat", "shmdt", "remap_file_pages", "membarrier", "set_tid_address",
    "set_robust_list", "rseq", "dup2", "dup3", "close", "lsm_set_self_attr", "fallocate", "ioctl",
    "fcntl", "mlockall", "munlockall",
    /* answer what this machine is like at that moment */
    "getrandom", "getcpu", "mincore", "cachestat", "get_kernel_syms", "query_module",
};

static struct {
    uint64_t seed;
    char *arena, *last,
        *locked; /* memory; the end of a page before one that is missing; what may only be read */
    int fds[FDS];
    uint64_t sum;
    char text[1 << 16];
    size_t used;
} rows;

static uint64_t draw(uint64_t below)
{
    rows.seed ^= rows.seed << 13;
    rows.seed ^= rows.seed >> 7;
    rows.seed ^= rows.seed << 17;
    return rows.seed % below;
}

/* --- what there is to give a call ----------------------------------------------------------- */

/* A device of its own: a superuser's fchmod would change the mode of the machine's. */
static int open_null(void)
{
    if (geteuid() != 0)
        return open("/dev/null", O_RDWR);
    mknod("null", S_IFCHR | 0600, makedev(1, 3));
    return open("null", O_RDWR);
}

static void prepare(void)
{
    rows.arena =
        mmap(NULL, ARENA + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    rows.last = rows.arena + ARENA;
    munmap(rows.last, PAGE);
    rows.locked = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int ends[2], pair[2], n = 0;
    mkdir("dir", 0700);
    rows.fds[n++] = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(rows.fds[0], "some text in a file\n", 20) != 20)
        _exit(4);
    lseek(rows.fds[0], 3, SEEK_SET);
    rows.fds[n++] = open("file", O_RDONLY);
    rows.fds[n++] = open("dir", O_RDONLY | O_DIRECTORY);
    if (pipe2(ends, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
        _exit(4);
    if (write(ends[1], "in the pipe", 11) != 11 || write(pair[1], "in the socket", 13) != 13)
        _exit(4);
    rows.fds[n++] = ends[0];
    rows.fds[n++] = ends[1];
    rows.fds[n++] = pair[0];
    rows.fds[n++] = eventfd(3, EFD_NONBLOCK);
    rows.fds[n++] = epoll_create1(0);
    rows.fds[n++] = open_null();
    rows.fds[n++] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    rows.fds[n++] = open("file", O_PATH);
    rows.fds[n++] = (int)syscall(SYS_memfd_create, "rows", 0);
}

static uint64_t bad_address(void)
{
    static const uint64_t bad[] = {
        1, 0x1000, 0x656d616e, 0x15141312, 0x7ffffffff000, 0xffff800000000000, ~0ul, ~0ul - 8};
    return bad[draw(sizeof bad / sizeof *bad)];
}

/* Memory that holds `size` bytes, or not quite. */
static uint64_t memory(void)
{
    static const unsigned left[] = {0, 1, 4, 8, 12, 16, 24, 32, 64, 128, 144, 256, 1000};
    char *somewhere = rows.arena + draw(ARENA / 2);
    switch (draw(12)) {
    case 0:
        return 0;
    case 1:
        return (uint64_t)rows.last;
    case 2:
        return (uint64_t)rows.locked;
    case 3:
        return bad_address();
    case 4:
    case 5:
    case 6:
        return (uint64_t)(rows.last - left[draw(sizeof left / sizeof *left)]);
    case 7: /* zeros, which many structures are when nothing is wanted */
        memset(somewhere, 0, PAGE);
        return (uint64_t)somewhere & ~15ul;
    default:
        memset(somewhere, (int)draw(4), PAGE);
        return (uint64_t)somewhere & ~7ul;
    }
}

static uint64_t path(void)
{
    static const char *const names[] = {"file",        "missing", "dir",      "",
                                        "dir/../file", "file/x",  "dir/new",  ".",
                                        "/proc/self",  "link",    "missing/x"};
    char *at = rows.arena + draw(ARENA / 2);
    switch (draw(8)) {
    case 0:
        return memory();
    case 1: /* without an end */
        memset(rows.last - 8, 'x', 8);
        return (uint64_t)(rows.last - 8);
    case 2:
        memset(at, 'x', 5000);
        at[5000] = 0;
        return (uint64_t)at;
    case 3: /* up to the end */
        memcpy(rows.last - 5, "file", 5);
        return (uint64_t)(rows.last - 5);
    default:
        strcpy(at, names[draw(sizeof names / sizeof *names)]);
        return (uint64_t)at;
    }
}

static uint64_t ranges(void)
{
    struct iovec *v = (struct iovec *)(rows.arena + ((ARENA / 2 + draw(1024)) & ~15ul));
    if (draw(5) == 0)
        return memory();
    for (int i = 0; i < 4; i++)
        v[i] = (struct iovec){(void *)(draw(3) ? (uint64_t)rows.arena + draw(2000) : memory()),
                              draw(40)};
    return (uint64_t)v;
}

static uint64_t number(void)
{
    static const uint64_t numbers[] = {0,    1,          2,    3,        4,        7,   8,
                                       16,   20,         24,   64,       100,      144, 256,
                                       4096, 0x80000000, ~0ul, ~0ul - 1, 1ul << 47};
    return draw(4) ? numbers[draw(13)] : numbers[draw(sizeof numbers / sizeof *numbers)];
}

static uint64_t value(const struct call_arg *arg)
{
    if (arg->shape == SHAPE_STRING && arg->way)
        return path();
    if (arg->shape == SHAPE_IOVEC)
        return ranges();
    if (arg->way)
        return memory();
    switch (arg->show) {
    case SHOW_FD:
        return draw(8) ? (uint64_t)rows.fds[draw(FDS)] : draw(2) ? ~0ul : 9999;
    case SHOW_ATFD:
        return draw(4) ? (uint64_t)(int64_t)AT_FDCWD : draw(2) ? (uint64_t)rows.fds[2] : ~0ul;
    case SHOW_PTR:
    case SHOW_NEW_PTR:
        return memory();
    case SHOW_PID:
        return draw(3) ? 0 : draw(2) ? (uint64_t)getpid() : ~0ul - 5;
    case SHOW_UID:
        return ~0ul;
    case SHOW_MODE:
    case SHOW_NEW_MODE:
        return 0700;
    case SHOW_LEN:
    case SHOW_INT:
    case SHOW_UINT:
    case SHOW_LONG:
    case SHOW_OFF:
        return number();
    default: /* flags and choices: most have none that are always right but 0 */
        return draw(5) < 3 ? 0 : number();
    }
}

/* --- the calls ------------------------------------------------------------------------------ */

static bool is_left_out(const struct syscall_row *row, uint64_t nr)
{
    if (!row->name || syscall_traits_of(nr)->replay == WAY_REFUSE)
        return true;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (!strcmp(row->name, left_out[i]))
            return true;
    return false;
}

static void add_up(void)
{
    for (char *at = rows.arena; at < rows.last; at += 8)
        rows.sum = (rows.sum << 5 | rows.sum >> 59) ^ *(uint64_t *)at;
}

/* Sizes of memory are often in another argument: as much as there is, or a little more. */
static void make(const struct syscall_row *row, uint64_t nr, int i)
{
    uint64_t a[6] = {0};
    for (int n = 0; n < 6 && row->args[n].name; n++)
        a[n] = value(&row->args[n]);
    syscall(SYS_getppid, rows.sum);
    long result = syscall((long)nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    int error = errno;
    rows.used +=
        (size_t)snprintf(rows.text + rows.used, sizeof rows.text - rows.used, "%s %d: %s\n",
                         row->name, i, result == -1 ? strerrorname_np(error) : "done");
    add_up();
    if (row->result == GIVES_FD && result > 2)
        close((int)result);
}

static void child(const struct syscall_row *row, uint64_t nr, uint64_t seed, int cases)
{
    alarm(SECONDS);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    prepare();
    for (int i = 0; i < cases; i++) {
        rows.seed = (seed * 1000003 + nr) * 1000003 + (uint64_t)i + 88172645463325252ul;
        draw(2);
        make(row, nr, i);
    }
    syscall(SYS_getppid, rows.sum);
    _exit(write(1, rows.text, rows.used) == (ssize_t)rows.used ? 0 : 3);
}

static bool is_wanted(const struct syscall_row *row, uint64_t nr, int argc, char **argv)
{
    unsigned n, m;
    for (int i = 3; i < argc; i++)
        if (sscanf(argv[i], "%u/%u", &n, &m) == 2 ? nr % m == n : !strcmp(argv[i], row->name))
            return true;
    return argc <= 3;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    for (uint64_t nr = 0; nr < SYSCALL_NUMBERS; nr++) {
        const struct syscall_row *row = syscall_row_of(nr);
        if (is_left_out(row, nr) || !is_wanted(row, nr, argc, argv))
            continue;
        pid_t pid = fork();
        if (!pid)
            child(row, nr, strtoul(argv[1], NULL, 10), atoi(argv[2]));
        int status;
        waitpid(pid, &status, 0);
        if (status) {
            printf("%s ended with %x\n", row->name, status);
            fflush(stdout);
        }
    }
    return 0;
}
