/* System calls shown by ebb, to be held against what strace says of this same program.
 *
 *   shown    makes a number of calls, then prints a line for each as syscall_text() has it
 *
 * Addresses are the same in both, since it is the same process that both describe.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log/syscall_text.h"

/* The calls here are given pointers that are good, or NULL. */
static bool copy_here(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    if (from.at < 4096)
        return false;
    memcpy(to, (void *)from.at, size);
    return true;
}

static const struct call_memory memory = {copy_here, NULL};
static char *lines[400];
static size_t line_count;

static long raw_call(long number, const u64 *args)
{
    register u64 r10 __asm__("r10") = args[3];
    register u64 r8 __asm__("r8") = args[4];
    register u64 r9 __asm__("r9") = args[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static long make(long number, const u64 *args)
{
    struct call_made call;
    call_begin(&call, (u64)number, args, &memory);
    call.result = raw_call(number, args);
    lines[line_count++] = syscall_text(&call, &memory);
    return call.result;
}

#define CALL(number, ...) make(number, (const u64[6]){__VA_ARGS__})
#define P(...) ((u64)(__VA_ARGS__))

static const char *scratch;

static void files(void)
{
    static char name[512], buffer[4096];
    struct stat st;
    snprintf(name, sizeof name, "%s/shown.txt", scratch);
    long fd = CALL(SYS_openat, AT_FDCWD, P(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    CALL(SYS_write, fd, P("one\ttwo\n\"three\" \\ \1\0012 \377 and what is longer than can be shown"), 60);
    CALL(SYS_lseek, fd, 0, SEEK_SET);
    CALL(SYS_read, fd, P(buffer), sizeof buffer);
    CALL(SYS_read, fd, P(buffer), sizeof buffer);
    CALL(SYS_pread64, fd, P(buffer), 3, 0);
    CALL(SYS_fstat, fd, P(&st));
    CALL(SYS_ftruncate, fd, 10);
    CALL(SYS_fcntl, fd, F_GETFD);
    CALL(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
    CALL(SYS_fcntl, fd, F_GETFD);
    CALL(SYS_fcntl, fd, F_GETFL);
    CALL(SYS_fcntl, fd, F_DUPFD, 100);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 5};
    CALL(SYS_fcntl, fd, F_SETLK, P(&lock));
    struct iovec v[2] = {{"ab", 2}, {"cdef", 4}};
    CALL(SYS_writev, fd, P(v), 2);
    CALL(SYS_fchmod, fd, 0600);
    CALL(SYS_close, fd);
    CALL(SYS_close, fd);
    CALL(SYS_openat, AT_FDCWD, P("/nonexistent"), O_RDONLY);
    CALL(SYS_open, P("/dev/null"), O_WRONLY | O_APPEND);
    CALL(SYS_stat, P("/dev/null"), P(&st));
    CALL(SYS_stat, P("/nonexistent"), P(&st));
    CALL(SYS_newfstatat, AT_FDCWD, P("/"), P(&st), AT_SYMLINK_NOFOLLOW);
    CALL(SYS_access, P("/"), R_OK | X_OK);
    CALL(SYS_access, P("/"), F_OK);
    CALL(SYS_readlink, P("/nonexistent"), P(buffer), 100);
    CALL(SYS_getcwd, P(buffer), sizeof buffer);
    CALL(SYS_unlink, P(name));
    CALL(SYS_mkdir, P(name), 0755);
    CALL(SYS_unlinkat, AT_FDCWD, P(name), AT_REMOVEDIR);
    CALL(SYS_rename, P("/nonexistent"), P("/nonexistent2"));
    CALL(SYS_umask, 0);
    CALL(SYS_umask, 027);
    CALL(SYS_umask, 022);
    int ends[2];
    CALL(SYS_pipe2, P(ends), O_CLOEXEC | O_NONBLOCK);
    CALL(SYS_read, (u64)ends[0], P(buffer), 10);
    CALL(SYS_dup3, (u64)ends[0], 90, O_CLOEXEC);
    CALL(SYS_ioctl, (u64)ends[0], TCGETS, P(buffer));
    int ready;
    CALL(SYS_ioctl, (u64)ends[0], FIONREAD, P(&ready));
    CALL(SYS_memfd_create, P("name"), MFD_CLOEXEC);
    CALL(SYS_fsync, 1000);
}

static void memories(void)
{
    u64 at = (u64)CALL(SYS_mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1ul, 0);
    CALL(SYS_mprotect, at, 4096, PROT_NONE);
    CALL(SYS_mprotect, at, 4096, PROT_READ | PROT_EXEC);
    CALL(SYS_madvise, at, 8192, MADV_DONTNEED);
    at = (u64)CALL(SYS_mremap, at + 4096, 4096, 16384, MREMAP_MAYMOVE);
    CALL(SYS_munmap, at, 4096);
    CALL(SYS_brk, 0);
    CALL(SYS_msync, at, 4096, MS_SYNC);
}

static void signals(void)
{
    u64 set = 1 << (SIGUSR1 - 1) | 1 << (SIGINT - 1), old;
    CALL(SYS_rt_sigprocmask, SIG_BLOCK, P(&set), P(&old), 8);
    CALL(SYS_rt_sigprocmask, SIG_SETMASK, P(&old), 0, 8);
    struct {
        void (*handler)(int);
        u64 flags, restorer, mask;
    } action = {SIG_IGN, SA_RESTART, 0, 1 << (SIGTERM - 1)};
    CALL(SYS_rt_sigaction, SIGUSR2, P(&action), 0, 8);
    CALL(SYS_rt_sigaction, SIGUSR2, 0, P(&action), 8);
    CALL(SYS_kill, (u64)getpid(), SIGUSR2);
    CALL(SYS_kill, (u64)getpid(), 0);
    CALL(SYS_sigaltstack, 0, P(&(struct {u64 a, b, c;}){0}));
    CALL(SYS_rt_sigtimedwait, P(&set), 0, P(&(struct timespec){0, 10}), 8);
}

static void times(void)
{
    struct timespec t;
    CALL(SYS_clock_gettime, CLOCK_MONOTONIC, P(&t));
    CALL(SYS_clock_gettime, CLOCK_REALTIME, P(&t));
    CALL(SYS_clock_getres, CLOCK_PROCESS_CPUTIME_ID, P(&t));
    CALL(SYS_nanosleep, P(&(struct timespec){0, 1000}), P(&t));
    CALL(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, P(&(struct timespec){0, 1000}), 0);
    CALL(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, P(&(struct timespec){0, 1000}), 0);
    CALL(SYS_gettimeofday, P(&t), 0);
    CALL(SYS_setitimer, 1, P(&(struct {i64 a, b, c, d;}){0, 0, 100, 5}), 0);
    CALL(SYS_alarm, 0);
    u64 fd = (u64)CALL(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC);
    CALL(SYS_timerfd_settime, fd, 0, P(&(struct itimerspec){{0, 0}, {1, 5}}), 0);
}

static void waiting(void)
{
    u64 ready = (u64)CALL(SYS_eventfd2, 1, 02000000), idle = (u64)CALL(SYS_eventfd2, 0, 0);
    struct pollfd fds[2] = {{(int)ready, POLLIN | POLLPRI, 0}, {(int)idle, POLLIN, 0}};
    CALL(SYS_poll, P(fds), 2, 1000);
    CALL(SYS_poll, P(fds + 1), 1, 0);
    u64 epoll = (u64)CALL(SYS_epoll_create1, EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data = {.u64 = 7}}, events[4];
    CALL(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, ready, P(&event));
    CALL(SYS_epoll_wait, epoll, P(events), 4, 1000);
    CALL(SYS_epoll_wait, epoll, P(events), 4, 0);
    u32 word = 1;
    CALL(SYS_futex, P(&word), FUTEX_WAIT_PRIVATE, 2, 0);
    CALL(SYS_futex, P(&word), FUTEX_WAKE, 1);
    CALL(SYS_futex, P(&word), FUTEX_WAIT_PRIVATE, 1, P(&(struct timespec){0, 1000}));
}

static void sockets(void)
{
    int pair[2], on = 1;
    socklen_t size = sizeof on;
    char buffer[64];
    CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, P(pair));
    CALL(SYS_sendto, (u64)pair[0], P("hello"), 5, MSG_NOSIGNAL, 0, 0);
    CALL(SYS_recvfrom, (u64)pair[1], P(buffer), 64, 0, 0, 0);
    CALL(SYS_recvfrom, (u64)pair[1], P(buffer), 64, MSG_DONTWAIT, 0, 0);
    CALL(SYS_shutdown, (u64)pair[1], SHUT_WR);
    u64 fd = (u64)CALL(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP);
    CALL(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, P(&on), sizeof on);
    CALL(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, P(&on), P(&size));
    CALL(SYS_setsockopt, fd, SOL_TCP, TCP_NODELAY, P(&on), sizeof on);
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    CALL(SYS_bind, fd, P(&name), sizeof name);
    CALL(SYS_listen, fd, 5);
    CALL(SYS_accept, fd, 0, 0);
    size = sizeof name;
    CALL(SYS_getsockname, fd, P(&name), P(&size));
    struct sockaddr_un path = {.sun_family = AF_UNIX, .sun_path = "/nonexistent/x"};
    u64 other = (u64)CALL(SYS_socket, AF_UNIX, SOCK_DGRAM, 0);
    CALL(SYS_connect, other, P(&path), sizeof path);
    CALL(SYS_socket, AF_NETLINK, SOCK_RAW, 0);
}

static void processes(void)
{
    struct rlimit limit;
    int status;
    CALL(SYS_getpid);
    CALL(SYS_getuid);
    CALL(SYS_prlimit64, 0, RLIMIT_CORE, 0, P(&limit));
    CALL(SYS_getrlimit, RLIMIT_NOFILE, P(&limit));
    CALL(SYS_sched_yield);
    CALL(SYS_prctl, PR_SET_KEEPCAPS, 0);
    long child = fork();
    if (child == 0)
        _exit(3);
    CALL(SYS_wait4, (u64)child, P(&status), 0, 0);
    child = fork();
    if (child == 0) {
        raise(SIGKILL);
        _exit(3);
    }
    CALL(SYS_wait4, (u64)child, P(&status), WUNTRACED, 0);
    CALL(SYS_wait4, -1ul, P(&status), WNOHANG, 0);
    CALL(SYS_setpgid, 0, 0);
}

int main(int argc, char **argv)
{
    scratch = argc > 1 ? argv[1] : "/tmp";
    files();
    memories();
    signals();
    times();
    waiting();
    sockets();
    processes();
    for (size_t i = 0; i < line_count; i++)
        puts(lines[i]);
    return 0;
}
