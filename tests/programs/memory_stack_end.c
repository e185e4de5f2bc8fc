/* The end of the stack: how far it grows is the limit's to say, which the program changes. */
#include "check.h"

#include <setjmp.h>
#include <sys/resource.h>

static sigjmp_buf back;
static char *lowest, *top;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    lowest = info->si_addr;
    siglongjmp(back, 1);
}

static __attribute__((noinline)) int deeper(volatile char *from)
{
    volatile char here[3000];
    here[0] = from[0];
    return here[0] == 1 ? 0 : deeper(here) + here[1];
}

static long depth(void)
{
    volatile char start[1] = {0};
    if (!sigsetjmp(back, 1))
        deeper(start);
    return (top - lowest) / 4096;
}

int main(int argc, char **argv)
{
    (void)argc;
    static char other[65536];
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGSEGV, &action, NULL) == 0);
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur < 1 << 19)
        return done();
    top = (char *)(((unsigned long)argv | 0xfff) + 1);
    long first = depth(), whole = (long)limit.rlim_cur / 4096;
    CHECK(first > whole - 600 && first <= whole + 1);
    CHECK(depth() - first < 2);
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= 2 * limit.rlim_cur) {
        limit.rlim_cur *= 2;
        CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
        long second = depth();
        CHECK(second > 2 * whole - 600 && second <= 2 * whole + 1);
        limit.rlim_cur /= 4;
        CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
        CHECK(depth() > 2 * whole - 600); /* what has grown stays */
    }
    return done();
}
