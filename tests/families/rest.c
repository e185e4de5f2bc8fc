/* Parts of the interface that few programs use: memory that may not become code, personalities, who
 * watches a file that is mapped, buffers between closed pages, states of processes, core dumps. */
#include "family.h"

#include <linux/mempolicy.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>

enum { SET_MDWE = 65, GET_MDWE = 66, NO_GAIN = 1, NOT_INHERITED = 2 };

static char *pages(int count, int protection)
{
    return mmap(NULL, (size_t)count * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int file_with(const char *name, const char *text)
{
    int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0755);
    if (write(fd, text, strlen(text)) < 0)
        say("no file %s", name);
    return fd;
}

static void nothing(int signal)
{
    (void)signal;
}

/* --- code ------------------------------------------------------------------------------------- */

static void gain_code(const char *who)
{
    char *p = pages(1, PROT_READ | PROT_WRITE);
    say("%s: %ld", who, (long)prctl(GET_MDWE, 0, 0, 0, 0));
    R(mprotect(p, PAGE, PROT_READ | PROT_EXEC));
    R(mprotect(p, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
    OK(pages(1, PROT_READ | PROT_WRITE | PROT_EXEC) == MAP_FAILED ? -1 : 0);
}

CASE(no_new_code)
{
    R(prctl(GET_MDWE, 1, 0, 0, 0));
    R(prctl(SET_MDWE, 0, 1, 0, 0));
    R(prctl(SET_MDWE, 4, 0, 0, 0));
    R(prctl(SET_MDWE, NOT_INHERITED, 0, 0, 0));
    gain_code("before");
    R(prctl(SET_MDWE, NO_GAIN, 0, 0, 0));
    R(prctl(SET_MDWE, 0, 0, 0, 0));
    R(prctl(SET_MDWE, NO_GAIN | NOT_INHERITED, 0, 0, 0));
    R(prctl(SET_MDWE, NO_GAIN, 0, 0, 0));
    gain_code("after");
    char *p = pages(2, PROT_READ | PROT_EXEC);
    R(mprotect(p, PAGE, PROT_READ | PROT_EXEC));
    R(mprotect(p, PAGE, PROT_READ));
    R(mprotect(p, 2 * PAGE, PROT_READ | PROT_EXEC));
    R(mprotect(p, PAGE, PROT_READ | PROT_WRITE));
    reap("child", CHILD(gain_code("child")));
    reap("program", CHILD(execl("/bin/true", "true", NULL)));
}

CASE(no_new_code_not_inherited)
{
    R(prctl(SET_MDWE, NO_GAIN | NOT_INHERITED, 0, 0, 0));
    gain_code("after");
    reap("child", CHILD(gain_code("child")));
}

static void run_code(const char *what, char *p)
{
    static const char five[] = "\xb8\x05\0\0\0\xc3"; /* mov $5, %eax; ret */
    memcpy(p, five, sizeof five - 1);
    say("%s returns %d", what, ((int (*)(void))p)());
}

static void *map_and_run(void *at)
{
    (void)at;
    run_code("in a thread", pages(1, PROT_READ | PROT_WRITE));
    return NULL;
}

CASE(reading_implies_executing)
{
    pthread_t t;
    R(personality(0xffffffff));
    R(personality(READ_IMPLIES_EXEC));
    char *p = pages(1, PROT_READ | PROT_WRITE);
    run_code("mapped", p);
    R(mprotect(p, PAGE, PROT_READ));
    say("protected returns %d", ((int (*)(void))p)());
    pthread_create(&t, NULL, map_and_run, NULL);
    pthread_join(t, NULL);
    reap("child", CHILD(run_code("in a child", pages(1, PROT_READ | PROT_WRITE))));
    R(personality(0));
    reap("child", CHILD(run_code("no longer", pages(1, PROT_READ | PROT_WRITE))));
}

/* --- watched files ---------------------------------------------------------------------------- */

static void say_events(int watch)
{
    char buffer[4096] __attribute__((aligned(8)));
    ssize_t size = read(watch, buffer, sizeof buffer);
    if (size < 0)
        say("no events");
    for (ssize_t at = 0; at < size;) {
        struct inotify_event *e = (struct inotify_event *)(buffer + at);
        say("event %x %s", e->mask, e->len ? e->name : "");
        at += (ssize_t)(sizeof *e + e->len);
    }
}

CASE(watched_while_mapped)
{
    int watch = inotify_init1(IN_NONBLOCK);
    mkdir("d", 0755);
    close(file_with("d/f", "hello"));
    R(inotify_add_watch(watch, "d", IN_ALL_EVENTS));
    int fd = open("d/f", O_RDWR);
    say_events(watch);
    char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    say("%c", p[0]);
    munmap(p, PAGE);
    say_events(watch);
    p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    p[0] = 'x';
    munmap(p, PAGE);
    say_events(watch);
    close(fd);
    say_events(watch);
}

static void ask_for_lock(void)
{
    struct flock lock = {.l_type = F_WRLCK};
    fcntl(open("f", O_RDWR), F_GETLK, &lock);
    say("the lock is %s", lock.l_type == F_UNLCK ? "free" : "held");
}

/* A lock ends when its process closes any descriptor of the file. */
CASE(locked_while_mapped)
{
    struct flock lock = {.l_type = F_WRLCK};
    int fd = file_with("f", "hello");
    ftruncate(fd, 2 * PAGE);
    R(fcntl(fd, F_SETLK, &lock));
    char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    say("%c", p[0]);
    reap("asker", CHILD(ask_for_lock()));
    munmap(p, PAGE);
    p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    p[0] = 'x';
    reap("asker", CHILD(ask_for_lock()));
    munmap(p, PAGE);
    reap("asker", CHILD(ask_for_lock()));
    close(open("f", O_RDONLY));
    reap("asker", CHILD(ask_for_lock()));
}

CASE(deadlock_of_locks)
{
    int fd = file_with("f", "hello"), ready[2];
    struct flock first = {F_WRLCK, SEEK_SET, 0, 1}, second = {F_WRLCK, SEEK_SET, 1, 1};
    char byte;
    if (pipe(ready) < 0)
        return;
    R(fcntl(fd, F_SETLKW, &first));
    pid_t child = CHILD(R(fcntl(fd, F_SETLKW, &second)); write(ready[1], "x", 1);
                        _exit(fcntl(fd, F_SETLKW, &first) && errno == EDEADLK));
    read(ready[0], &byte, 1);
    int failed = fcntl(fd, F_SETLKW, &second) && errno == EDEADLK, status;
    first.l_type = F_UNLCK;
    R(fcntl(fd, F_SETLK, &first));
    waitpid(child, &status, 0);
    say("%d of two waits fails", failed + WEXITSTATUS(status)); /* whoever asked last */
}

/* --- buffers ---------------------------------------------------------------------------------- */

CASE(ends_of_buffers)
{
    char *e = pages(3, PROT_READ | PROT_WRITE) + 2 * PAGE;
    int fd = file_with("f", "0123456789");
    mprotect(e, PAGE, PROT_NONE);
    R(write(fd, e - 10, 11));
    R(lseek(fd, 0, SEEK_CUR));
    R(pread(fd, e - 5, 10, 0));
    R(pread(fd, e, 1, 0));
    struct iovec v[3] = {{e - 20, 10}, {e, 10}, {e - 10, 10}};
    R(writev(fd, v, 3));
    R(lseek(fd, 0, SEEK_CUR));
    R(pwritev(fd, v, 3, 0));
    R(preadv(fd, v, 3, 0));
    R(preadv2(fd, v, 3, 0, 0x1000));
    SYS(readv, fd, v, 1025);
    R(stat("f", (void *)(e - sizeof(struct stat) + 1)));
    memcpy(e - 4, "abcd", 4);
    R(open(e - 4, O_RDWR));
    R(readlink("/proc/self/exe", e - 3, 30));
    R(uname((void *)(e - 100)));
    R(pipe((void *)(e - 4)));
    SYS(gettimeofday, e - 8, 0);
    SYS(getcpu, e, 0, 0);
    SYS(sched_getaffinity, 0, 128, e - 4);
    pid_t child = CHILD(_exit(7));
    R(syscall(SYS_wait4, child, e, 0, 0) == child);
    SYS(wait4, child, 0, 0, 0);
    SYS(rt_sigprocmask, 0, 0, e - 4, 8);
    SYS(rt_sigprocmask, 77, e - 8, 0, 8);
    SYS(rt_sigaction, SIGUSR1, 0, e - 8, 8);
    SYS(sigaltstack, 0, e - 8);
    SYS(setitimer, 0, e - 8, 0);
    SYS(getrusage, 0, e - 100);
    SYS(sysinfo, e - 100);
    SYS(getdents64, open(".", O_RDONLY), e - 30, 300);
    SYS(poll, e - 4, 1, 0);
    SYS(ppoll, e - 8, 1, e - 8, 0, 8);
    SYS(getrandom, e - 4, 8, 0);
    SYS(prctl, PR_SET_NAME, e - 2);
    SYS(sched_getattr, 0, e - 20, 20, 0);
    SYS(clone3, e - 64, 88);
    SYS(clone3, e - 64, 7);
    SYS(copy_file_range, 0, 0, 1, 0, 1, 9);
    SYS(get_robust_list, 0, e - 8, e);
    SYS(adjtimex, e);
    SYS(get_mempolicy, e - 2, 0, 0, 0, 0);
}

/* --- processes -------------------------------------------------------------------------------- */

static char state_of(pid_t pid)
{
    char name[32], line[512];
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    int fd = open(name, O_RDONLY);
    ssize_t size = read(fd, line, sizeof line - 1);
    close(fd);
    line[size > 0 ? size : 0] = 0;
    const char *end = strrchr(line, ')');
    return end ? end[2] : '?';
}

static void wait_somehow(int how)
{
    struct epoll_event event;
    sigset_t set;
    int word = 0, ends[2];
    char byte;
    sigemptyset(&set);
    switch (how) {
    case 0: pause(); break;
    case 1: pipe(ends), read(ends[0], &byte, 1); break;
    case 2: syscall(SYS_futex, &word, 0, 0, NULL, NULL, 0); break;
    case 3: sleep(100); break;
    case 4: poll(NULL, 0, -1); break;
    case 5: sigsuspend(&set); break;
    case 6: epoll_wait(epoll_create1(0), &event, 1, -1); break;
    case 7: raise(SIGSTOP); break;
    default: _exit(0);
    }
}

/* Test programs wait until another process sleeps. */
CASE(states_of_processes)
{
    static const char wanted[] = "SSSSSSSTZ";
    for (int how = 0; wanted[how]; how++) {
        pid_t child = CHILD(wait_somehow(how));
        for (int i = 0; i < 5000 && state_of(child) != wanted[how]; i++)
            pause_ms(1);
        say("%d is in state %c", how, state_of(child));
        kill(child, SIGKILL);
        reap("it", child);
    }
}

CASE(dumped_or_not)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGQUIT, SIGSYS, SIGTERM, SIGUSR1};
    struct rlimit none = {0, RLIM_INFINITY};
    siginfo_t info;
    R(setrlimit(RLIMIT_CORE, &none));
    signal(SIGALRM, nothing);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        pid_t child = CHILD(signals[i] == SIGSEGV ? (void)(*(volatile int *)NULL = 1)
                                                  : (void)kill(getpid(), signals[i]));
        R(waitid(P_PID, child, &info, WEXITED));
        say("code %d, status %d", info.si_code, info.si_status);
    }
}
