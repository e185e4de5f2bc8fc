/* A program may use gs for itself: base set by arch_prctl or wrgsbase, accesses, per thread.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <asm/prctl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

static long area[3][4] = {{11, 12, 13, 14}, {21, 22, 23, 24}, {31, 32, 33, 34}};

static long load(long offset)
{
    long value;
    __asm__ volatile("mov %%gs:(%1), %0" : "=r"(value) : "r"(offset));
    return value;
}

static void set(void *base)
{
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, base) == 0);
}

static void *other(void *unused)
{
    set(area[2]);
    for (int i = 0; i < 100; i++) {
        CHECK(load(0) == 31);
        sched_yield();
    }
    return unused;
}

static void on_signal(int sig)
{
    (void)sig;
    CHECK(load(8) == 12);
}

int main(void)
{
    unsigned long base;
    set(area[0]);
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (unsigned long)area[0]);
    CHECK(load(0) == 11 && load(24) == 14);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    __asm__ volatile("incq %gs:16\n addl $5, %gs:16");
    CHECK(area[0][2] == 19);
    long value = 99;
    __asm__ volatile("xchg %0, %%gs:0" : "+r"(value));
    CHECK(value == 11 && area[0][0] == 99);
    __asm__ volatile("xchg %0, %%gs:0" : "+r"(value));
    void *from = (void *)8, *to = &value;
    __asm__ volatile("movsq %%gs:(%%rsi), (%%rdi)" : "+S"(from), "+D"(to) : : "memory");
    CHECK(value == 12);

    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
    for (int i = 0; i < 100; i++) {
        CHECK(load(0) == 11);
        sched_yield();
    }
    CHECK(pthread_join(thread, NULL) == 0 && load(0) == 11);
    if (getauxval(AT_HWCAP2) & 2) {     /* FSGSBASE */
        void *got;
        __asm__ volatile("wrgsbase %1\n rdgsbase %0" : "=r"(got) : "r"(area[1]));
        CHECK(got == area[1] && load(8) == 22);
        __asm__ volatile("rdfsbase %0" : "=r"(got));
        CHECK(syscall(SYS_arch_prctl, ARCH_GET_FS, &base) == 0 && (unsigned long)got == base);
    }
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, 1UL << 63) < 0 && errno == EPERM);
    pid_t child = fork();
    if (child == 0)
        _exit(load(8));
    CHECK(check_wait(child) == load(8));
    return done();
}
