/* Each synchronous signal: its number, code, address, and the place of the fault.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <ucontext.h>

struct fault {
    volatile int sig, code;
    volatile uintptr_t address, rip, trap;
} seen;
static int skip;

static void on_fault(int sig, siginfo_t *info, void *p)
{
    greg_t *r = ((ucontext_t *)p)->uc_mcontext.gregs;
    seen = (struct fault){sig, info->si_code, (uintptr_t)info->si_addr, r[REG_RIP], r[REG_TRAPNO]};
    r[REG_RIP] += skip;
}

#define DO(length, text, ...)                                                               \
    do {                                                                                    \
        skip = length;                                                                      \
        memset(&seen, 0, sizeof seen);                                                      \
        __asm__ volatile("lea 1f(%%rip), %0\n 1: " text : "=&r"(place) : __VA_ARGS__       \
                         : "memory", "cc");                                                 \
    } while (0)

int main(void)
{
    static const int signals[] = {SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGBUS};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    for (int i = 0; i < 5; i++)
        CHECK(sigaction(signals[i], &action, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        uintptr_t place;
        DO(2, "ud2", "r"(0));
        CHECK(seen.sig == SIGILL && seen.rip == place && seen.address == place && seen.trap == 6);
        DO(0, "int3", "r"(0));
        CHECK(seen.sig == SIGTRAP && seen.rip == place + 1 && seen.code == SI_KERNEL);
        DO(2, "div %%ecx", "c"(0), "a"(5), "d"(0));
        CHECK(seen.sig == SIGFPE && seen.code == FPE_INTDIV && seen.address == place);
        DO(2, "idiv %%ecx", "c"(-1), "a"(0x80000000), "d"(-1));
        CHECK(seen.sig == SIGFPE && seen.rip == place && seen.trap == 0);
        DO(2, "mov (%%rcx), %%eax", "c"(0x10));
        CHECK(seen.sig == SIGSEGV && seen.code == SEGV_MAPERR && seen.address == 0x10);
        DO(2, "mov (%%rcx), %%eax", "c"(0x8000000000000000));
        CHECK(seen.sig == SIGSEGV && seen.code == SI_KERNEL && seen.address == 0);
        CHECK(seen.rip == place && seen.trap == 13);
        DO(1, "hlt", "r"(0));
        CHECK(seen.sig == SIGSEGV && seen.rip == place);
        DO(1, "cli", "r"(0));
        CHECK(seen.sig == SIGSEGV && seen.rip == place);
        DO(3, "movaps (%%rcx), %%xmm0", "c"((uintptr_t)&seen | 1));
        CHECK(seen.sig == SIGSEGV && seen.rip == place);
        DO(2, ".byte 0x0f, 0x0b", "r"(0));
        CHECK(seen.sig == SIGILL);
        DO(1, ".byte 0x06", "r"(0));                 /* push %es: not in long mode */
        CHECK(seen.sig == SIGILL && seen.rip == place);
        DO(0, "int3\n nop", "r"(0));
        CHECK(seen.sig == SIGTRAP);
    }
    return done();
}
