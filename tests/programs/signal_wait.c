/* sigwait, sigwaitinfo, sigtimedwait, sigpending, sigsuspend, pause, sigqueue's values.
 *
 * variants: static
 */
#include "check.h"
#include <time.h>

static volatile int got;

static void on_signal(int sig)
{
    got = sig;
}

static pid_t send_often(int sig)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        while (getppid() == parent && kill(parent, sig) == 0)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        _exit(0);
    }
    CHECK(child > 0);
    return child;
}

int main(void)
{
    sigset_t set, old, pending;
    int sig;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGRTMIN);
    CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);

    raise(SIGUSR1);
    CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
    CHECK(!sigismember(&pending, SIGUSR2));
    CHECK(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
    CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGUSR1));

    for (int i = 0; i < 5; i++)
        CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 100 + i}) == 0);
    for (int i = 0; i < 5; i++) {
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN);
        CHECK(info.si_value.sival_int == 100 + i && info.si_code == SI_QUEUE);
        CHECK(info.si_pid == getpid());
    }
    struct timespec no_time = {0, 0}, short_time = {0, 2000000};
    CHECK(sigtimedwait(&set, &info, &no_time) < 0 && errno == EAGAIN);
    CHECK(sigtimedwait(&set, &info, &short_time) < 0 && errno == EAGAIN);

    signal(SIGUSR2, on_signal);
    raise(SIGUSR2);
    CHECK(got == 0);
    CHECK(sigsuspend(&old) < 0 && errno == EINTR && got == SIGUSR2);
    CHECK(sigprocmask(SIG_BLOCK, NULL, &pending) == 0 && sigismember(&pending, SIGUSR2));

    got = 0;
    raise(SIGUSR2);
    raise(SIGUSR2);                     /* standard signals do not queue */
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && got == SIGUSR2);
    got = 0;
    pid_t sender = send_often(SIGUSR2);
    CHECK(pause() < 0 && errno == EINTR && got == SIGUSR2);
    signal(SIGUSR2, SIG_IGN);
    CHECK(kill(sender, SIGKILL) == 0 && check_wait(sender) == 256 + SIGKILL);
    return done();
}
