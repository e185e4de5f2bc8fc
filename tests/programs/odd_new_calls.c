/* Calls of newer kernels, and the oldest way to the time. What a kernel lacks is not tried. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <setjmp.h>
#include <time.h>

#define SYS_FUTEX_WAITV 449
#define SYS_CACHESTAT 451
#define SYS_FUTEX_WAKE 454
#define SYS_FUTEX_WAIT 455
#define SYS_FUTEX_REQUEUE 456
#define SYS_MSEAL 462

enum { PAGE = 4096 };

static sigjmp_buf back;
static volatile int got;

static void on_fault(int signal)
{
    got = signal;
    siglongjmp(back, 1);
}

static int own_file(const char *text)
{
    char name[] = "new.XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0 && unlink(name) == 0 && write(fd, text, strlen(text)) == (long)strlen(text));
    return fd;
}

static void copied(void)
{
    char text[64] = "";
    int from = own_file("from one file to another"), to = own_file("");
    loff_t at = 5, end = 3;
    long n = copy_file_range(from, &at, to, NULL, 8, 0);
    CHECK(n == 8 && at == 13);
    CHECK(pread(to, text, sizeof text, 0) == 8 && memcmp(text, "one file", 8) == 0);
    CHECK(copy_file_range(from, &at, to, &end, 100, 0) == 11 && end == 14 && at == 24);
    CHECK(copy_file_range(from, &at, to, &end, 100, 0) == 0);
    CHECK(copy_file_range(from, NULL, to, NULL, 8, 7) == -1 && errno == EINVAL);
    CHECK(copy_file_range(99, NULL, to, NULL, 8, 0) == -1 && errno == EBADF);
    char *shown = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, to, 0);
    CHECK(shown != MAP_FAILED && memcmp(shown, "one", 3) == 0);
    at = 0;
    end = 0;
    CHECK(copy_file_range(from, &at, to, &end, 4, 0) == 4 && memcmp(shown, "from", 4) == 0);
    close(from);
    close(to);
}

struct waiter {
    uint64_t value, address;
    uint32_t flags, reserved;
};

static void futexes(void)
{
    static uint32_t words[2] = {1, 2};
    struct waiter w[2] = {{1, (uintptr_t)&words[0], 0x82, 0}, {3, (uintptr_t)&words[1], 0x82, 0}};
    struct timespec past = {0, 1};
    errno = 0;
    long n = syscall(SYS_FUTEX_WAITV, w, 2, 0, &past, CLOCK_MONOTONIC);
    if (n == -1 && errno == ENOSYS)
        return;
    CHECK(n == -1 && errno == EAGAIN); /* the second is not 3 */
    w[1].value = 2;
    CHECK(syscall(SYS_FUTEX_WAITV, w, 2, 0, &past, CLOCK_MONOTONIC) == -1 && errno == ETIMEDOUT);
    CHECK(syscall(SYS_FUTEX_WAITV, w, 0, 0, NULL, 0) == -1 && errno == EINVAL);
    CHECK(syscall(SYS_FUTEX_WAITV, 8, 2, 0, NULL, 0) == -1 && errno == EFAULT);
    if (syscall(SYS_FUTEX_WAKE, &words[0], ~0u, 1, 0x82) == -1 && errno == ENOSYS)
        return;
    CHECK(syscall(SYS_FUTEX_WAIT, &words[0], 2ul, ~0u, 0x82, NULL, 0) == -1 && errno == EAGAIN);
    CHECK(syscall(SYS_FUTEX_WAIT, &words[0], 1ul, ~0u, 0x82, &past, CLOCK_MONOTONIC) == -1 && errno == ETIMEDOUT);
    CHECK(syscall(SYS_FUTEX_REQUEUE, w, 0, 1, 1) == 0);
    puts("futexes of the new kind");
}

/* A thread waits for three words, and is woken by the last. */
static uint32_t three[3];
static long answer;

static void *waits(void *unused)
{
    struct waiter w[3];
    for (int i = 0; i < 3; i++)
        w[i] = (struct waiter){0, (uintptr_t)&three[i], 0x82, 0};
    answer = syscall(SYS_FUTEX_WAITV, w, 3, 0, NULL, 0);
    return unused;
}

static void any_of_several(void)
{
    pthread_t t;
    if (syscall(SYS_FUTEX_WAITV, NULL, 0, 0, NULL, 0) == -1 && errno == ENOSYS)
        return;
    for (int i = 0; i < 3; i++) {
        answer = -7;
        memset(three, 0, sizeof three);
        CHECK(pthread_create(&t, NULL, waits, NULL) == 0);
        usleep(1000 * (unsigned)i);
        while (syscall(SYS_futex, &three[i], 1 | 128, 1, NULL, NULL, 0) == 0) /* until it waits */
            sched_yield();
        CHECK(pthread_join(t, NULL) == 0 && answer == i);
    }
    puts("one of several words");
}

static void cached(void)
{
    struct { uint64_t off, len; } range = {0, PAGE};
    uint64_t answer[5];
    int fd = own_file("in the cache");
    if (syscall(SYS_CACHESTAT, fd, &range, answer, 0) == -1 && errno == ENOSYS)
        return;
    CHECK(syscall(SYS_CACHESTAT, fd, &range, answer, 0) == 0 && answer[0] <= 1);
    CHECK(syscall(SYS_CACHESTAT, fd, 8, answer, 0) == -1 && errno == EFAULT);
    CHECK(syscall(SYS_CACHESTAT, fd, &range, answer, 1) == -1 && errno == EINVAL);
    close(fd);
}

/* A sealed range stays as it is. */
static void sealed(void)
{
    char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    memset(p, 7, 4 * PAGE);
    if (syscall(SYS_MSEAL, p + PAGE, PAGE, 0) == -1 && errno == ENOSYS)
        return;
    CHECK(syscall(SYS_MSEAL, p + 1, PAGE, 0) == -1 && errno == EINVAL);
    CHECK(syscall(SYS_MSEAL, p, PAGE, 1) == -1 && errno == EINVAL);
    CHECK(syscall(SYS_MSEAL, 0x1000, PAGE, 0) == -1 && errno == ENOMEM);
    CHECK(syscall(SYS_MSEAL, p + PAGE, PAGE, 0) == 0);
    CHECK(mprotect(p, 4 * PAGE, PROT_READ) == -1 && errno == EPERM);
    CHECK(munmap(p, 4 * PAGE) == -1 && errno == EPERM && p[0] == 7);
    CHECK(mremap(p + PAGE, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED && errno == EPERM);
    CHECK(mmap(p, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EPERM);
    p[PAGE] = 8; /* what it may do it may still do */
    CHECK(munmap(p + 2 * PAGE, 2 * PAGE) == 0 && munmap(p, PAGE) == 0 && p[PAGE] == 8);
    pid_t child = fork();
    if (!child)
        _exit(munmap(p + PAGE, PAGE) == -1 && errno == EPERM ? 3 : 4);
    CHECK(check_wait(child) == 3);
}

/* The time stamp counter can be forbidden. */
static void no_counter(void)
{
    int state = 0;
    if (prctl(PR_GET_TSC, &state) || state != PR_TSC_ENABLE)
        return;
    CHECK(prctl(PR_SET_TSC, 77) == -1 && errno == EINVAL);
    CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0 && prctl(PR_GET_TSC, &state) == 0 && state == PR_TSC_SIGSEGV);
    got = 0;
    if (!sigsetjmp(back, 1))
        __builtin_ia32_rdtsc();
    CHECK(got == SIGSEGV);
    CHECK(prctl(PR_SET_TSC, PR_TSC_ENABLE) == 0);
    CHECK(__builtin_ia32_rdtsc() != 0);
}

static void vsyscall(void)
{
    time_t (*old_time)(time_t *) = (time_t(*)(time_t *))0xffffffffff600400;
    time_t stored = 0, before = time(NULL);
    got = 0;
    if (!sigsetjmp(back, 1)) {
        time_t now = old_time(&stored);
        CHECK(now == stored && now - before >= 0 && now - before < 100);
    }
    printf("vsyscall: signal %d\n", got);
    got = 0;
    if (!sigsetjmp(back, 1))
        ((void (*)(void))0xffffffffff600008)();
    CHECK(got == SIGSEGV);
}

/* As many descriptors as the limit says. */
static void descriptors(void)
{
    struct rlimit limit, less;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    less = (struct rlimit){1024, limit.rlim_max};
    if (limit.rlim_max < 2048 || setrlimit(RLIMIT_NOFILE, &less))
        return;
    int count = 0, first = open("/dev/null", O_RDONLY), highest = first;
    for (int fd; (fd = dup(first)) >= 0; count++)
        highest = fd > highest ? fd : highest;
    CHECK(errno == EMFILE);
    CHECK(highest == 1023 && count >= 1010);
    CHECK(fcntl(first, F_DUPFD, 1024) == -1 && errno == EINVAL);
    for (int fd = first; fd < 1024; fd++)
        CHECK(close(fd) == 0);
}

int main(void)
{
    signal(SIGSEGV, on_fault);
    copied();
    futexes();
    any_of_several();
    cached();
    sealed();
    no_counter();
    vsyscall();
    descriptors();
    return done();
}
