/* A fault whose signal is blocked or ignored kills all the same; a raised one waits.
 */
#include "check.h"
#include <sys/resource.h>

static void never(int sig)
{
    (void)sig;
    _exit(9);
}

static void fault(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    signal(SIGSEGV, how == 2 ? SIG_IGN : never);
    if (how != 2)
        sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGSEGV);
    if (how == 0)
        _exit(7);
    *(volatile int *)0 = 1;
    _exit(8);
}

int main(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    static const int wanted[] = {7, 256 + SIGSEGV, 256 + SIGSEGV};
    for (int how = 0; how < 3; how++) {
        pid_t child = fork();
        if (child == 0)
            fault(how);
        CHECK(check_wait(child) == wanted[how]);
    }
    return done();
}
