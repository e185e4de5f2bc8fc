/* Bare system calls: numbers that do not exist, bad pointers, what they do to registers.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* rcx and r11 come back with the return address and the flags; all else is kept. */
static void registers(void)
{
    unsigned long rcx, r11, place, flags, rdi = 0x1234, rsi = 0x5678, r8 = 0x9abc;
    register unsigned long in8 __asm__("r8") = r8;
    __asm__ volatile("mov $39, %%eax\n pushf\n pop %3\n syscall\n"
                     "1: mov %%rcx, %0\n mov %%r11, %1\n lea 1b(%%rip), %2"
                     : "=&r"(rcx), "=&r"(r11), "=&r"(place), "=&r"(flags), "+D"(rdi), "+S"(rsi),
                       "+r"(in8) : : "rax", "rcx", "r11", "memory");
    CHECK(rcx == place && (r11 & 0xcd5) == (flags & 0xcd5));
    CHECK(rdi == 0x1234 && rsi == 0x5678 && in8 == 0x9abc);
}

int main(void)
{
    static const long numbers[] = {-1, 1000, 0x7fffffff, 600};
    for (int i = 0; i < 4; i++)
        CHECK(syscall(numbers[i], 0, 0, 0) < 0 && errno == ENOSYS);
    void *bad = (void *)16;
    struct timespec t;
    int fds[2];
    CHECK(write(1, bad, 5) < 0 && errno == EFAULT);
    CHECK(open(bad, O_RDONLY) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_pipe, bad) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_stat, "/", bad) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_nanosleep, bad, NULL) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_rt_sigaction, SIGUSR1, bad, NULL, 8) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_rt_sigaction, SIGUSR1, NULL, NULL, 4) < 0 && errno == EINVAL);
    CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, bad, NULL, 8) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_rt_sigprocmask, 77, &t, NULL, 8) < 0 && errno == EINVAL);
    CHECK(syscall(SYS_sigaltstack, bad, NULL) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, bad) < 0 && errno == EFAULT);
    CHECK(syscall(SYS_wait4, -1, bad, 0, NULL) < 0 && errno == ECHILD);
    CHECK(pipe(fds) == 0 && write(fds[1], "abcdef", 6) == 6);
    CHECK(read(fds[0], bad, 3) < 0 && errno == EFAULT);
    CHECK(read(fds[0], (void *)main, 1) < 0 && errno == EFAULT);     /* not writable */

    char *edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(edge != MAP_FAILED && munmap(edge + 4096, 4096) == 0);
    int file = open("file", O_RDWR | O_CREAT, 0600);
    CHECK(write(file, edge + 4090, 100) == 6);       /* as far as it goes */
    memcpy(edge + 4091, "/dev", 5);
    CHECK(access(edge + 4091, F_OK) == 0);
    memcpy(edge + 4092, "/dev", 4);                  /* no end before the edge */
    CHECK(access(edge + 4092, F_OK) < 0 && errno == EFAULT);
    for (int i = 0; i < 20; i++)
        registers();
    return done();
}
