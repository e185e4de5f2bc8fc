/* The trap flag, set with popf: a SIGTRAP after each instruction, until it is cleared.
 */
#include "check.h"
#include <ucontext.h>

static uintptr_t places[64];
static volatile int steps;
extern char stepped[], stepped_end[];
void step_me(void);

__asm__(".text\n"
        "step_me: pushf\n orl $0x100, (%rsp)\n popf\n"
        "stepped: nop\n xor %eax, %eax\n inc %eax\n jmp 1f\n ud2\n"
        "1: call 2f\n jmp 3f\n"
        "2: ret\n"
        "3: pushf\n andl $~0x100, (%rsp)\n popf\n"
        "stepped_end: ret\n");

static void on_trap(int sig, siginfo_t *info, void *p)
{
    greg_t *r = ((ucontext_t *)p)->uc_mcontext.gregs;
    CHECK(sig == SIGTRAP && info->si_code == TRAP_TRACE);
    CHECK(steps < 64);
    places[steps++] = r[REG_RIP] - (greg_t)stepped;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
    step_me();
    for (int i = 0; i < steps; i++)
        printf("%d ", (int)places[i]);
    puts("");
    int seen = steps;
    step_me();
    CHECK(steps == 2 * seen);
    return done();
}
