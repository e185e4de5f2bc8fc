/* System calls by `int 0x80`, as programs of 32 bits make them: with their numbers, arguments of
 * 32 bits, and no register changed but rax.  Where the kernel does not take them the instruction
 * faults, and nothing is tried. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/time.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { OLD_EXIT = 1, OLD_FORK, OLD_READ, OLD_WRITE, OLD_OPEN, OLD_CLOSE, OLD_LSEEK = 19, OLD_GETPID, OLD_PAUSE = 29,
       OLD_KILL = 37, OLD_PIPE = 42, OLD_GETTID = 224 };

static sigjmp_buf back;
static volatile int caught;
static char *low; /* memory that 32 bits reach */

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static void on_signal(int signal)
{
    caught = signal;
}

static long old_call(long number, long a, long b, long c)
{
    register long r8 __asm__("r8") = 0x1111111111111111, r9 __asm__("r9") = 0x2222222222222222;
    register long r10 __asm__("r10") = 0x3333333333333333, r11 __asm__("r11") = 0x4444444444444444;
    long result = number, si = 0x5555555555555555, di = 0x6666666666666666, cx = b;
    __asm__ volatile("int $0x80"
                     : "+a"(result), "+c"(cx), "+S"(si), "+D"(di), "+r"(r8), "+r"(r9), "+r"(r10), "+r"(r11)
                     : "b"(a), "d"(c)
                     : "memory");
    CHECK(r8 == 0x1111111111111111 && r9 == 0x2222222222222222 && r10 == 0x3333333333333333);
    CHECK(r11 == 0x4444444444444444 && si == 0x5555555555555555 && di == 0x6666666666666666 && cx == b);
    return result;
}

static void simple(void)
{
    CHECK(old_call(OLD_GETPID, 0, 0, 0) == getpid());
    CHECK(old_call(OLD_GETPID | 1l << 32, 0, 0, 0) == getpid());
    CHECK(old_call(9999, 0, 0, 0) == -ENOSYS && old_call(-1, 0, 0, 0) == -ENOSYS);
    CHECK(old_call(OLD_CLOSE, 999, 0, 0) == -EBADF);
    CHECK(old_call(OLD_KILL, getpid(), 0, 0) == 0 && old_call(OLD_KILL, getpid(), 999, 0) == -EINVAL);
}

static void files(void)
{
    strcpy(low, "/dev/zero");
    long fd = old_call(OLD_OPEN, (long)low, O_RDWR, 0);
    CHECK(fd > 2);
    memset(low, 7, 64);
    CHECK(old_call(OLD_READ, fd, (long)low + 8, 16) == 16 && low[7] == 7 && low[8] == 0 && low[24] == 7);
    CHECK(old_call(OLD_READ, fd, (long)low | 1l << 40, 4) == 4 && low[0] == 0 && low[4] == 7);
    CHECK(old_call(OLD_READ, fd, 16, 4) == -EFAULT && old_call(OLD_WRITE, fd, (long)low, 4) == 4);
    CHECK(old_call(OLD_CLOSE, fd, 0, 0) == 0);
    char name[] = "int80.XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0 && write(file, "abcdef", 6) == 6);
    CHECK(old_call(OLD_LSEEK, file, -2, SEEK_END) == 4 && old_call(OLD_READ, file, (long)low, 9) == 2 && low[0] == 'e');
    close(file);
}

static void children(void)
{
    long child = old_call(OLD_FORK, 0, 0, 0);
    if (child == 0)
        old_call(OLD_EXIT, 5, 0, 0);
    CHECK(child > 0 && check_wait((pid_t)child) == 5);
}

/* A thread waits in such a call while another runs. */
static void *writes(void *end)
{
    CHECK(old_call(OLD_GETTID, 0, 0, 0) == syscall(SYS_gettid));
    usleep(1000);
    CHECK(write(*(int *)end, "hello", 5) == 5);
    return NULL;
}

static void waits(void)
{
    pthread_t t;
    int *ends = (int *)low;
    CHECK(old_call(OLD_PIPE, (long)ends, 0, 0) == 0);
    CHECK(pthread_create(&t, NULL, writes, &ends[1]) == 0);
    CHECK(old_call(OLD_READ, ends[0], (long)low + 64, 16) == 5 && memcmp(low + 64, "hello", 5) == 0);
    CHECK(pthread_join(t, NULL) == 0);
    struct itimerval soon = {{0, 2000}, {0, 2000}}, never = {0};
    struct sigaction once = {.sa_handler = on_signal};
    sigaction(SIGALRM, &once, NULL);
    CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    while (!caught) {
        long result = old_call(OLD_PAUSE, 0, 0, 0);
        CHECK(result == -EINTR);
    }
    CHECK(caught == SIGALRM && setitimer(ITIMER_REAL, &never, NULL) == 0);
}

int main(void)
{
    low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    CHECK(low != MAP_FAILED);
    signal(SIGSEGV, on_fault);
    if (sigsetjmp(back, 1)) {
        puts("no such calls here");
        return done();
    }
    old_call(OLD_GETPID, 0, 0, 0);
    signal(SIGSEGV, SIG_DFL);
    simple();
    files();
    children();
    waits();
    return done();
}
