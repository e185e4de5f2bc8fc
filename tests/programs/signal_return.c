/* rt_sigreturn with a frame made by hand: it is only a jump with all registers.
 *
 * settings: yes
 */
#include "check.h"
#include <ucontext.h>

struct frame {
    ucontext_t context;
    char room[1024];
} __attribute__((aligned(64)));

static struct frame frame;
static char stack[65536] __attribute__((aligned(64)));
static ucontext_t home;
static int arrived;

static void land(long a, long b, long c)
{
    CHECK(a == 1 && b == 2 && c == 3);
    sigset_t now;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
    CHECK(sigismember(&now, SIGUSR2) && !sigismember(&now, SIGUSR1));
    arrived++;
    setcontext(&home);
}

int main(void)
{
    volatile int rounds = 0;
    CHECK(getcontext(&home) == 0);
    if (rounds++ < 20) {
        unsigned short cs;
        __asm__("mov %%cs, %0" : "=r"(cs));
        memset(&frame, 0, sizeof frame);
        greg_t *r = frame.context.uc_mcontext.gregs;
        r[REG_RIP] = (greg_t)land;
        r[REG_RSP] = (greg_t)(stack + sizeof stack - 64 - 8);
        r[REG_RDI] = 1;
        r[REG_RSI] = 2;
        r[REG_RDX] = 3;
        r[REG_EFL] = 0x202;
        r[REG_CSGSFS] = cs | 0x2bL << 48;            /* and ss */
        sigaddset(&frame.context.uc_sigmask, SIGUSR2);
        frame.context.uc_stack.ss_flags = SS_DISABLE;
        __asm__ volatile("mov %0, %%rsp\n mov $15, %%eax\n syscall\n ud2" : : "r"(&frame));
    }
    CHECK(arrived == 20);
    return done();
}
