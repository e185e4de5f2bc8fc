/* Cases of the audit: processes, time, signals, waiting, and calls that describe the system.
 *
 * Calls about other processes are made on children of the audit. audit.h has the macros.
 */
#include "audit.h"

#include <fcntl.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nothing(int sig)
{
    (void)sig;
}

/* A signal comes soon, again and again, so that whatever waits is interrupted. */
static void interrupted(void)
{
    struct sigaction action = {.sa_handler = nothing};
    need(sigaction(SIGUSR1, &action, NULL) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    need(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec soon = {{0, 20000000}, {0, 20000000}};
    need(timer_settime(timer, 0, &soon, NULL) == 0);
    fails_with(EINTR);
}

static struct timespec *seconds(long s, long ns)
{
    struct timespec t = {s, ns};
    return in(&t, sizeof t);
}

static int ready(void)
{
    int fd = eventfd(1, EFD_NONBLOCK);
    need(fd >= 0);
    return fd;
}

static int idle(void)
{
    int fd = eventfd(0, EFD_NONBLOCK);
    need(fd >= 0);
    return fd;
}

/* Who and what */

CASE(uname)               { call(SYS_uname, P(out(512))); }
CASE(sysinfo)             { call(SYS_sysinfo, P(out(256))); }
CASE(getpid)              { call(SYS_getpid); }
CASE(getresuid)           { call(SYS_getresuid, P(out(8)), P(out(8)), P(out(8))); }
CASE(getresgid)           { call(SYS_getresgid, P(out(8)), P(out(8)), P(out(8))); }
CASE(getgroups)           { call(SYS_getgroups, 1000, P(out(4000))); }
CASE(getgroups_asks)      { call(SYS_getgroups, 0, 0); }
CASE(getrlimit)           { call(SYS_getrlimit, RLIMIT_NOFILE, P(out(64))); }
CASE(prlimit64)           { call(SYS_prlimit64, 0, RLIMIT_STACK, 0, P(out(64))); }
CASE(getrusage)           { call(SYS_getrusage, RUSAGE_SELF, P(out(256))); }
CASE(times)               { call(SYS_times, P(out(64))); }
CASE(getcpu)              { call(SYS_getcpu, P(out(8)), P(out(8)), P(out(128))); }
CASE(getrandom)           { call(SYS_getrandom, P(out(64)), 33, 0); }
CASE(get_robust_list)     { call(SYS_get_robust_list, 0, P(out(16)), P(out(16))); }
CASE(syslog_size)         { call(SYS_syslog, 10, 0, 0); }
CASE(syslog_read)         { call(SYS_syslog, 3, P(out(2048)), 2048); }
CASE(adjtimex)            { static const char z[208]; call(SYS_adjtimex, P(in(z, 208))); }
CASE(clock_adjtime)       { static const char z[208]; call(SYS_clock_adjtime, 0, P(in(z, 208))); }
CASE(modify_ldt_none)     { call(SYS_modify_ldt, 0, P(out(256)), 256); }
CASE(modify_ldt_default)  { call(SYS_modify_ldt, 2, P(out(256)), 256); }
CASE(lsm_list_modules)    { call(461, P(out(256)), P(length(256)), 0); }
CASE(lsm_list_short)      { call(461, P(out(8)), P(length(0)), 0); fails_with(E2BIG); }
CASE(lsm_get_self_attr)   { call(459, 100, P(out(512)), P(length(512)), 0); }
CASE(membarrier)          { call(SYS_membarrier, 0, 0, 0); }

static struct __user_cap_header_struct *capabilities(uint32_t version)
{
    struct __user_cap_header_struct header = {version, 0};
    return in(&header, sizeof header);
}

CASE(capget)              { call(SYS_capget, P(capabilities(_LINUX_CAPABILITY_VERSION_3)), P(out(64))); }
CASE(capget_old)          { call(SYS_capget, P(capabilities(_LINUX_CAPABILITY_VERSION_1)), P(out(64))); }
CASE(capget_unknown)      { call(SYS_capget, P(capabilities(7)), P(out(64))); fails_with(EINVAL); }
CASE(capget_asks)         { call(SYS_capget, P(capabilities(7)), 0); }

/* prctl */

#define PRCTL(name, ...) CASE(name) { call(SYS_prctl, __VA_ARGS__); }
PRCTL(prctl_get_name, PR_GET_NAME, P(out(64)))
PRCTL(prctl_set_name, PR_SET_NAME, P(text("audit")))
PRCTL(prctl_pdeathsig, PR_GET_PDEATHSIG, P(out(64)))
PRCTL(prctl_dumpable, PR_GET_DUMPABLE, P(out(64)))
PRCTL(prctl_tsc, PR_GET_TSC, P(out(64)))
PRCTL(prctl_subreaper, PR_GET_CHILD_SUBREAPER, P(out(64)))
PRCTL(prctl_tid_address, PR_GET_TID_ADDRESS, P(out(64)))
PRCTL(prctl_auxv, 0x41555856, P(out(1024)), 1024, 0, 0)
PRCTL(prctl_auxv_short, 0x41555856, P(out(64)), 20, 0, 0)
PRCTL(prctl_timerslack, PR_GET_TIMERSLACK, P(out(64)))
PRCTL(prctl_sched_core, 62, 0, 0, 0, P(out(64)))
PRCTL(prctl_mm_map_size, PR_SET_MM, 15, P(out(64)), 0, 0)

CASE(arch_prctl_fs)       { call(SYS_arch_prctl, 0x1003, P(out(64))); }
CASE(arch_prctl_gs)       { call(SYS_arch_prctl, 0x1004, P(out(64))); }
CASE(arch_prctl_xcomp)    { call(SYS_arch_prctl, 0x1021, P(out(64))); }
CASE(arch_prctl_perm)     { call(SYS_arch_prctl, 0x1022, P(out(64))); }
CASE(arch_prctl_shstk)    { call(SYS_arch_prctl, 0x5005, P(out(64))); }
CASE(arch_prctl_tags)     { call(SYS_arch_prctl, 0x4003, P(out(64))); }

/* Scheduling and memory policy */

CASE(sched_getaffinity)   { call(SYS_sched_getaffinity, 0, 1024, P(out(1024))); }
CASE(sched_getparam)      { call(SYS_sched_getparam, 0, P(out(64))); }
CASE(sched_getattr)       { call(SYS_sched_getattr, 0, P(out(256)), 256, 0); }
CASE(sched_getattr_old)   { call(SYS_sched_getattr, 0, P(out(256)), 48, 0); }
CASE(sched_rr_interval)   { call(SYS_sched_rr_get_interval, 0, P(out(64))); }
CASE(get_mempolicy)       { call(SYS_get_mempolicy, P(out(64)), P(out(256)), 1024, 0, 0); }
CASE(get_mempolicy_ids)   { call(SYS_get_mempolicy, P(out(64)), P(out(256)), 1024, 0, 4); }

CASE(sched_setattr_big)
{
    uint32_t attr[32] = {sizeof attr, 0};
    attr[31] = 1;
    call(SYS_sched_setattr, 0, P(in(attr, sizeof attr)), 0);
    fails_with(E2BIG);
}

CASE(perf_attr_big)
{
    uint32_t attr[64] = {0, sizeof attr};
    attr[63] = 1;
    call(SYS_perf_event_open, P(in(attr, sizeof attr)), 0, -1, -1, 0);
    fails_with(E2BIG);
}

CASE(move_pages)
{
    void *pages[2] = {aligned_alloc(4096, 4096), NULL};
    memset(pages[0], 1, 4096);
    call(SYS_move_pages, 0, 2, P(in(pages, sizeof pages)), 0, P(out(64)), 0);
}

/* Time */

CASE(time)                { call(SYS_time, P(out(64))); }
CASE(gettimeofday)        { call(SYS_gettimeofday, P(out(64)), P(out(64))); }
CASE(clock_gettime)       { call(SYS_clock_gettime, CLOCK_MONOTONIC, P(out(64))); }
CASE(clock_gettime_bad)   { call(SYS_clock_gettime, 99, P(out(64))); fails_with(EINVAL); }
CASE(clock_getres)        { call(SYS_clock_getres, CLOCK_MONOTONIC, P(out(64))); }
CASE(getitimer)           { call(SYS_getitimer, ITIMER_PROF, P(out(64))); }
CASE(nanosleep)           { call(SYS_nanosleep, P(seconds(0, 1000)), P(out(64))); }
CASE(nanosleep_broken)    { interrupted(); call(SYS_nanosleep, P(seconds(200, 0)), P(out(64))); }
CASE(clock_nanosleep)     { call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, P(seconds(0, 1000)), P(out(64))); }
CASE(clock_sleep_broken)  { interrupted(); call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, P(seconds(200, 0)), P(out(64))); }

CASE(setitimer)
{
    struct itimerval value = {{0, 0}, {100, 0}};
    call(SYS_setitimer, ITIMER_PROF, P(in(&value, sizeof value)), P(out(64)));
}

CASE(timer_create)        { call(SYS_timer_create, CLOCK_MONOTONIC, 0, P(out(64))); }

static int timer(void)
{
    int id;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    need(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id) == 0);
    return id;
}

static struct itimerspec *in_a_while(void)
{
    struct itimerspec value = {{0, 0}, {100, 0}};
    return in(&value, sizeof value);
}

static int timer_fd(void)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    need(fd >= 0);
    return fd;
}

CASE(timer_settime)       { call(SYS_timer_settime, timer(), 0, P(in_a_while()), P(out(64))); }
CASE(timer_gettime)       { call(SYS_timer_gettime, timer(), P(out(64))); }
CASE(timerfd_settime)     { call(SYS_timerfd_settime, timer_fd(), 0, P(in_a_while()), P(out(64))); }
CASE(timerfd_gettime)     { call(SYS_timerfd_gettime, timer_fd(), P(out(64))); }

/* Waiting for descriptors */

static struct pollfd *polled(void)
{
    struct pollfd fds[3] = {{ready(), POLLIN, 7}, {idle(), POLLIN, 7}, {-1, POLLIN, 7}};
    return in(fds, sizeof fds);
}

static struct pollfd *polled_idle(void)
{
    struct pollfd fds[2] = {{idle(), POLLIN, 7}, {idle(), POLLIN, 7}};
    return in(fds, sizeof fds);
}

CASE(poll)                { call(SYS_poll, P(polled()), 3, 1000); }
CASE(poll_time_out)       { call(SYS_poll, P(polled_idle()), 2, 1); }
CASE(poll_broken)         { interrupted(); call(SYS_poll, P(polled_idle()), 2, 200000); }
CASE(ppoll)               { call(SYS_ppoll, P(polled()), 3, P(seconds(5, 0)), 0, 8); }
CASE(ppoll_time_out)      { call(SYS_ppoll, P(polled_idle()), 2, P(seconds(0, 1000)), 0, 8); }
CASE(ppoll_broken)        { interrupted(); call(SYS_ppoll, P(polled_idle()), 2, P(seconds(200, 0)), 0, 8); }
CASE(ppoll_at_once)       { call(SYS_ppoll, P(polled_idle()), 2, P(seconds(0, 0)), 0, 8); }

static fd_set *set_of(int fd)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return in(&set, sizeof set);
}

static struct timeval *microseconds(long s, long us)
{
    struct timeval t = {s, us};
    return in(&t, sizeof t);
}

static void selected(long number, int fd, void *limit)
{
    call(number, fd + 1, P(set_of(fd)), P(set_of(fd)), P(set_of(fd)), P(limit), 0);
}

CASE(select)              { selected(SYS_select, ready(), microseconds(5, 0)); }
CASE(select_high)         { selected(SYS_select, dup2(ready(), 70), microseconds(5, 0)); }
CASE(select_time_out)     { int fd = idle(); call(SYS_select, fd + 1, P(set_of(fd)), 0, 0, P(microseconds(0, 10))); }
CASE(select_broken)       { int fd = idle(); interrupted(); call(SYS_select, fd + 1, P(set_of(fd)), 0, 0, P(microseconds(200, 0))); }
CASE(pselect6)            { selected(SYS_pselect6, ready(), seconds(5, 0)); }

static int watching(void)
{
    int fd = epoll_create1(0), first = ready(), second = idle();
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = 0x1122334455667788}};
    need(epoll_ctl(fd, EPOLL_CTL_ADD, first, &event) == 0);
    need(epoll_ctl(fd, EPOLL_CTL_ADD, second, &event) == 0);
    return fd;
}

CASE(epoll_wait)          { call(SYS_epoll_wait, watching(), P(out(256)), 10, 1000); }
CASE(epoll_pwait)         { call(SYS_epoll_pwait, watching(), P(out(256)), 10, 1000, 0, 8); }
CASE(epoll_pwait2)        { call(SYS_epoll_pwait2, watching(), P(out(256)), 10, P(seconds(1, 0)), 0, 8); }
CASE(epoll_none)          { call(SYS_epoll_wait, epoll_create1(0), P(out(256)), 10, 1); }
CASE(epoll_params)        { call(SYS_ioctl, epoll_create1(0), 0x80088a02, P(out(64))); }
CASE(eventfd_read)        { call(SYS_read, ready(), P(out(64)), 64); }

/* Children */

static pid_t child(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(5);
    need(pid > 0);
    return pid;
}

CASE(wait4)               { call(SYS_wait4, child(), P(out(64)), 0, P(out(256))); }
CASE(wait4_any)           { child(); call(SYS_wait4, -1, P(out(64)), 0, 0); }
CASE(wait4_none)          { call(SYS_wait4, -1, P(out(64)), WNOHANG, P(out(256))); fails_with(ECHILD); }
CASE(waitid)              { call(SYS_waitid, P_PID, child(), P(out(256)), WEXITED, P(out(256))); }
CASE(waitid_none)         { call(SYS_waitid, P_ALL, 0, P(out(256)), WEXITED, P(out(256))); fails_with(ECHILD); }

/* One that waits to be killed: it is there, and has not ended. */
static pid_t waiting_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(300);
        pause();
        _exit(0);
    }
    need(pid > 0);
    return pid;
}

CASE(wait4_not_yet)       { call(SYS_wait4, waiting_child(), P(out(64)), WNOHANG, P(out(256))); }
CASE(waitid_not_yet)      { call(SYS_waitid, P_PID, waiting_child(), P(out(256)), WEXITED | WNOHANG, P(out(256))); }

/* One that has stopped, and that this process traces. */
static pid_t traced_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            raise(SIGSTOP);
        _exit(0);
    }
    int status;
    need(pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
    return pid;
}

static struct iovec *registers(void)
{
    struct iovec range = {out(1024), 1024};
    return in(&range, sizeof range);
}

#define TRACE(name, request, addr, data) CASE(name) { call(SYS_ptrace, request, traced_child(), addr, data); }
TRACE(ptrace_peekdata,    PTRACE_PEEKDATA, P(nothing), P(out(64)))
TRACE(ptrace_peekuser,    PTRACE_PEEKUSER, 8, P(out(64)))
TRACE(ptrace_getregs,     PTRACE_GETREGS, 0, P(out(1024)))
TRACE(ptrace_getfpregs,   PTRACE_GETFPREGS, 0, P(out(1024)))
TRACE(ptrace_getregset,   0x4204, 1, P(registers()))
TRACE(ptrace_getxstate,   0x4204, 0x202, P(registers()))
TRACE(ptrace_getsiginfo,  0x4202, 0, P(out(256)))
TRACE(ptrace_geteventmsg, 0x4201, 0, P(out(64)))
TRACE(ptrace_getsigmask,  0x420a, 8, P(out(64)))
TRACE(ptrace_syscallinfo, 0x420e, 256, P(out(256)))
TRACE(ptrace_cont,        PTRACE_CONT, 0, 0)

CASE(clone_parent_tid)
{
    call(SYS_clone, 0x100000 | SIGCHLD, 0, P(out(64)), P(out(64)), 0);
}

CASE(clone_pidfd)
{
    call(SYS_clone, 0x1000 | SIGCHLD, 0, P(out(64)), P(out(64)), 0);
}

CASE(clone3)
{
    uint64_t clone[11] = {0x101000, (uint64_t)out(8), 0, (uint64_t)out(8), SIGCHLD};
    call(SYS_clone3, P(in(clone, sizeof clone)), sizeof clone);
}

/* Signals */

static sigset_t *only(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    return in(&set, sizeof set);
}

static void pending(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    need(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    union sigval value = {.sival_ptr = &set};
    need(sigqueue(getpid(), sig, value) == 0);
}

CASE(rt_sigaction)        { call(SYS_rt_sigaction, SIGUSR1, 0, P(out(256)), 8); }
CASE(rt_sigprocmask)      { call(SYS_rt_sigprocmask, SIG_BLOCK, P(only(SIGUSR1)), P(out(256)), 8); }
CASE(rt_sigpending)       { call(SYS_rt_sigpending, P(out(256)), 8); }
CASE(sigaltstack)         { call(SYS_sigaltstack, 0, P(out(64))); }
CASE(rt_sigtimedwait)     { pending(SIGUSR2); call(SYS_rt_sigtimedwait, P(only(SIGUSR2)), P(out(256)), P(seconds(5, 0)), 8); }
CASE(rt_sigtimedwait_none) { call(SYS_rt_sigtimedwait, P(only(SIGUSR2)), P(out(256)), P(seconds(0, 10)), 8); fails_with(EAGAIN); }

CASE(signalfd_read)
{
    sigset_t set;
    pending(SIGUSR2);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    call(SYS_read, signalfd(-1, &set, SFD_NONBLOCK), P(out(512)), 512);
}

/* Futexes */

static uint32_t *word(uint32_t value)
{
    return length(value);
}

CASE(futex_wait)          { call(SYS_futex, P(word(1)), FUTEX_WAIT, 2, 0); fails_with(EAGAIN); }
CASE(futex_time_out)      { call(SYS_futex, P(word(1)), FUTEX_WAIT, 1, P(seconds(0, 1000))); fails_with(ETIMEDOUT); }
CASE(futex_wake)          { call(SYS_futex, P(word(1)), FUTEX_WAKE, 1); }
CASE(futex_wake_op)       { call(SYS_futex, P(word(1)), FUTEX_WAKE_OP, 1, 1, P(word(3)), FUTEX_OP(FUTEX_OP_SET, 9, FUTEX_OP_CMP_EQ, 1)); }
CASE(futex_lock_pi)       { call(SYS_futex, P(word(0)), FUTEX_LOCK_PI, 0, 0); }
CASE(futex_trylock_pi)    { call(SYS_futex, P(word(0)), FUTEX_TRYLOCK_PI, 0, 0); }
CASE(futex_unlock_pi)     { call(SYS_futex, P(word((uint32_t)gettid())), FUTEX_UNLOCK_PI, 0, 0); }

/* Queues, semaphores, shared memory */

static int queue(void)
{
    int id = msgget(IPC_PRIVATE, 0600);
    need(id >= 0);
    return id;
}

/* A process that removes a queue or a set of semaphores when the case has ended, however it
 * does. */
static void remove_later(int kind, int id)
{
    pid_t parent = getpid(), pid = fork();
    if (pid > 0)
        return;
    for (int i = 0; pid == 0 && i < 30000 && getppid() == parent; i++)
        usleep(10000);
    if (kind == 'q')
        msgctl(id, IPC_RMID, NULL);
    else
        semctl(id, 0, IPC_RMID);
    if (pid == 0)
        _exit(0);
    cannot("no process");
}

CASE(msgrcv)
{
    struct {
        long type;
        char body[8];
    } message = {1, "hello"};
    int id = queue();
    remove_later('q', id);
    need(msgsnd(id, &message, 5, 0) == 0);
    call(SYS_msgrcv, id, P(out(256)), 200, 0, 0);
}

CASE(msgctl_stat)         { int id = queue(); remove_later('q', id); call(SYS_msgctl, id, IPC_STAT, P(out(256))); }
CASE(msgctl_info)         { call(SYS_msgctl, 0, 12, P(out(256))); }

CASE(shmctl_stat)
{
    int id = shmget(IPC_PRIVATE, 4096, 0600);
    need(id >= 0);
    void *at = shmat(id, NULL, 0); /* attached, it stays until the process ends */
    shmctl(id, IPC_RMID, NULL);
    need(at != (void *)-1);
    call(SYS_shmctl, id, IPC_STAT, P(out(256)));
}

CASE(shmctl_info)         { call(SYS_shmctl, 0, SHM_INFO, P(out(256))); }
CASE(shmctl_limits)       { call(SYS_shmctl, 0, IPC_INFO, P(out(256))); }

static int semaphores(void)
{
    int id = semget(IPC_PRIVATE, 3, 0600);
    need(id >= 0);
    remove_later('s', id);
    return id;
}

CASE(semctl_stat)         { call(SYS_semctl, semaphores(), 0, IPC_STAT, P(out(256))); }
CASE(semctl_getall)       { call(SYS_semctl, semaphores(), 0, GETALL, P(out(256))); }
CASE(semctl_info)         { call(SYS_semctl, 0, 0, SEM_INFO, P(out(256))); }
CASE(semctl_getval)       { call(SYS_semctl, semaphores(), 1, GETVAL, P(out(256))); }

static mqd_t posix_queue(void)
{
    char name[64];
    snprintf(name, sizeof name, "/ebb-audit-%d", (int)getpid());
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 32};
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    need(queue >= 0);
    mq_unlink(name);
    return queue;
}

CASE(mq_getsetattr)       { call(SYS_mq_getsetattr, posix_queue(), 0, P(out(256))); }
CASE(mq_timedreceive)
{
    mqd_t queue = posix_queue();
    need(mq_send(queue, "hello", 5, 3) == 0);
    call(SYS_mq_timedreceive, queue, P(out(64)), 64, P(out(64)), 0);
}

/* Keys, where they are to be had */

static int key(void)
{
    long id = syscall(SYS_add_key, "user", "audit", "secret", 6, -2 /* this process's ring */);
    need(id >= 0);
    return (int)id;
}

CASE(keyctl_read)         { call(SYS_keyctl, 11, key(), P(out(64)), 64); }
CASE(keyctl_read_short)   { call(SYS_keyctl, 11, key(), P(out(2)), 2); }
CASE(keyctl_describe)     { call(SYS_keyctl, 6, key(), P(out(256)), 256); }
CASE(keyctl_capabilities) { call(SYS_keyctl, 31, P(out(64)), 64); }

/* What no row knows */

CASE(bpf)
{
    uint32_t attr[16] = {0};
    call(SYS_bpf, 0, P(in(attr, sizeof attr)), sizeof attr);
    fails_with(EINVAL);
}

CASE(no_such_call)        { call(600, P(out(64)), P(out(64))); fails_with(ENOSYS); }
