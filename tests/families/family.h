/* The frame of a family: many small programs (cases) about neighbouring parts of the kernel's
 * interface.
 *
 *   FAMILY          every case, each in a child of its own, one after the other
 *   FAMILY CASE     one case, in the first process
 *   FAMILY --list   the names
 *
 * A case prints what it sees: results, errors, data, how its children ended. It prints no numbers
 * that differ from run to run (ids, times, addresses). The oracle is a native run: a recorded run
 * and its replay must print the same. */
#ifndef FAMILY_H
#define FAMILY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, CASES_MOST = 200, CASE_SECONDS = 60 };

struct family_case {
    const char *name;
    void (*run)(void);
};

static struct family_case family_cases[CASES_MOST];
static int family_count;
static const char *family_now = "";

#define CASE(name)                                                                                 \
    static void case_##name(void);                                                                 \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        family_cases[family_count++] = (struct family_case){#name, case_##name};                   \
    }                                                                                              \
    static void case_##name(void)

/* One line with one write, so that lines of several processes do not mix. */
__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...)
{
    char line[1024];
    int kept = errno, n = snprintf(line, sizeof line, "%s: ", family_now);
    va_list rest;
    va_start(rest, format);
    n += vsnprintf(line + n, sizeof line - (size_t)n - 1, format, rest);
    va_end(rest);
    if (n > (int)sizeof line - 2)
        n = sizeof line - 2;
    line[n++] = '\n';
    if (write(1, line, (size_t)n) != n)
        _exit(99);
    errno = kept;
}

static inline long said(const char *text, long result)
{
    if (result == -1)
        say("%s = -1 %s", text, strerrorname_np(errno) ? strerrorname_np(errno) : "?");
    else
        say("%s = %ld", text, result);
    return result;
}

/* Only whether it succeeded: the number itself differs from run to run. */
static inline long said_whether(const char *text, long result)
{
    if (result == -1)
        say("%s = -1 %s", text, strerrorname_np(errno) ? strerrorname_np(errno) : "?");
    else
        say("%s succeeds", text);
    return result;
}

#define R(call) said(#call, (long)(call))
#define OK(call) said_whether(#call, (long)(call))
#define SYS(name, ...) said("SYS_" #name "(" #__VA_ARGS__ ")", syscall(SYS_##name, ##__VA_ARGS__))

/* The end of a child, in words. */
static inline void say_end(const char *who, int status)
{
    if (WIFEXITED(status))
        say("%s exits with %d", who, WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        say("%s is killed by %s", who,
            sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "a real-time signal");
    else if (WIFSTOPPED(status))
        say("%s is stopped by %s", who, sigabbrev_np(WSTOPSIG(status)));
    else
        say("%s goes on", who);
}

static inline void reap(const char *who, pid_t child)
{
    int status;
    pid_t got;
    while ((got = waitpid(child, &status, __WALL)) < 0 && errno == EINTR) {
    }
    if (got < 0)
        say("%s cannot be waited for: %s", who, strerrorname_np(errno));
    else
        say_end(who, status);
}

#define CHILD(...)                                                                                 \
    ({                                                                                             \
        pid_t child_ = fork();                                                                     \
        if (!child_) {                                                                             \
            __VA_ARGS__;                                                                           \
            _exit(0);                                                                              \
        }                                                                                          \
        child_;                                                                                    \
    })

static inline void pause_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&t, &t) && errno == EINTR) {
    }
}

static inline unsigned sum_of(const void *bytes, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + ((const unsigned char *)bytes)[i];
    return sum;
}

/* An address at which nothing is. */
static inline void *nowhere(void)
{
    void *p = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p, PAGE);
    return p;
}

static inline void *two_pages_one_gone(void)
{
    char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p + PAGE, PAGE);
    return p;
}

static inline int family_main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_DFL);
    umask(022);
    if (argc > 1 && !strcmp(argv[1], "--list")) {
        for (int i = 0; i < family_count; i++)
            printf("%s\n", family_cases[i].name);
        return 0;
    }
    for (int i = 0; i < family_count; i++) {
        family_now = family_cases[i].name;
        if (argc > 1) {
            if (strcmp(argv[1], family_now))
                continue;
            alarm(CASE_SECONDS);
            family_cases[i].run();
            say("over");
            continue;
        }
        pid_t child = fork();
        if (!child) {
            setpgid(0, 0);
            alarm(CASE_SECONDS);
            family_cases[i].run();
            _exit(0);
        }
        reap("the case", child);
        kill(-child, SIGKILL);
    }
    return 0;
}

int main(int argc, char **argv) __attribute__((weak));
int main(int argc, char **argv)
{
    return family_main(argc, argv);
}
#endif
