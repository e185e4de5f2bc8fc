/* Handlers with and without SA_SIGINFO; old actions; masks during a handler; resetting.
 *
 * variants: static muslstatic
 * settings: yes
 */
#include "check.h"

static volatile int plain, with_info, sender, value, depth, deepest, raised;

static void on_plain(int sig)
{
    CHECK(sig == SIGUSR1);
    plain++;
}

static void on_info(int sig, siginfo_t *info, void *context)
{
    CHECK(sig == SIGUSR2 && context);
    CHECK(info->si_signo == SIGUSR2);
    with_info++;
    sender = info->si_pid;
    value = info->si_code;
}

static void on_nested(int sig)
{
    sigset_t now;
    depth++;
    if (depth > deepest)
        deepest = depth;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
    if (++raised < 5)
        raise(sig);
    depth--;
}

static int deepest_with(int flags)
{
    struct sigaction action = {.sa_handler = on_nested, .sa_flags = flags};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    deepest = raised = 0;
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_IGN);           /* a pending one is dropped */
    return deepest;
}

static void on_masked(int sig)
{
    sigset_t now;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
    CHECK(sigismember(&now, SIGTERM) && sigismember(&now, SIGHUP) && sigismember(&now, sig));
    CHECK(!sigismember(&now, SIGUSR2));
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_plain}, old;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 1000; i++)
        CHECK(raise(SIGUSR1) == 0);
    CHECK(plain == 1000);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == on_plain);
    CHECK((old.sa_flags & ~0x04000000) == 0);        /* but for SA_RESTORER, libc's own */

    action = (struct sigaction){.sa_sigaction = on_info, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    CHECK(kill(getpid(), SIGUSR2) == 0);
    CHECK(with_info == 1 && sender == getpid() && value == SI_USER);

    CHECK(deepest_with(0) == 1);
    CHECK(deepest_with(SA_NODEFER) == 5);

    action = (struct sigaction){.sa_handler = on_plain, .sa_flags = SA_RESETHAND};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);

    action = (struct sigaction){.sa_handler = on_masked};
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGHUP);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    sigset_t now;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && !sigismember(&now, SIGTERM));

    action.sa_handler = on_plain;
    CHECK(sigaction(SIGKILL, &action, NULL) < 0 && errno == EINVAL);
    CHECK(sigaction(65, &action, NULL) < 0 && errno == EINVAL);
    CHECK(signal(SIGHUP, SIG_IGN) == SIG_DFL);
    raise(SIGHUP);
    return done();
}
