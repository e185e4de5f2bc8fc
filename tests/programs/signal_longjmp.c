/* siglongjmp out of handlers, with and without the mask saved, thousands of times.
 *
 * variants: static muslstatic
 * settings: yes
 */
#include "check.h"
#include <setjmp.h>

static sigjmp_buf back;

static void on_signal(int sig)
{
    siglongjmp(back, sig);
}

static int blocked(int sig)
{
    sigset_t now;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
    return sigismember(&now, sig);
}

int main(void)
{
    signal(SIGSEGV, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGUSR1, on_signal);
    volatile int caught = 0, zero = 0;
    for (volatile int i = 0; i < 1000; i++) {
        int got = sigsetjmp(back, 1);
        if (got == 0 && i % 3 == 0)
            *(volatile int *)(uintptr_t)(i + 1) = 1;
        if (got == 0 && i % 3 == 1)
            CHECK(7 / zero == 1);
        if (got == 0)
            raise(SIGUSR1);
        CHECK(got == (i % 3 == 0 ? SIGSEGV : i % 3 == 1 ? SIGFPE : SIGUSR1));
        CHECK(!blocked(got));
        caught++;
    }
    CHECK(caught == 1000);
    if (sigsetjmp(back, 0) == 0)
        raise(SIGUSR1);
    CHECK(blocked(SIGUSR1));            /* the mask was not saved */
    return done();
}
