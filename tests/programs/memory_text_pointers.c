/* A pointer that is made of four bytes of text leads nowhere: loads and stores through it fault.
 *
 * Natively a small program has nothing between 0x20000000 and 0x7effffff.
 *
 * variants: static staticpie nopie
 */
#include "check.h"
#include <setjmp.h>

static sigjmp_buf back;
static volatile uintptr_t wanted;
static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    CHECK((uintptr_t)info->si_addr == wanted);
    faults++;
    siglongjmp(back, 1);
}

static void touch(uintptr_t at)
{
    wanted = at;
    if (!sigsetjmp(back, 0))
        (void)*(volatile char *)at;
    if (!sigsetjmp(back, 0))
        *(volatile char *)at = 1;
}

int main(void)
{
    static const char *const words[] = {"name", "the ", "abcd", "0123", "/usr", "perl", "TEXT", "~~~~", "foo."};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int touched = 0;
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++, touched++) {
        unsigned at;
        memcpy(&at, words[i], 4);
        touch(at);
    }
    for (uintptr_t at = 0x20000000; at < 0x7f000000; at += 4 << 20, touched++)
        touch(at + 0x20202);
    CHECK(faults == 2 * touched);
    return done();
}
