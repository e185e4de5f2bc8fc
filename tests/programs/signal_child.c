/* SIGCHLD: its siginfo; ignored children leave no zombies; SA_NOCLDWAIT; stop and continue.
 *
 * variants: static
 */
#include "check.h"

static volatile sig_atomic_t count, code, status;
static volatile pid_t from;

static void on_child(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    count++;
    code = info->si_code;
    status = info->si_status;
    from = info->si_pid;
}

static pid_t start(int how)
{
    pid_t child = fork();
    if (child == 0) {
        if (how < 0)
            raise(-how);
        _exit(how);
    }
    CHECK(child > 0);
    return child;
}

/* Blocked but in sigsuspend, so that none is missed. */
static void wait_signal(int before)
{
    sigset_t none;
    sigemptyset(&none);
    while (count == before)
        sigsuspend(&none);
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    struct sigaction action = {.sa_sigaction = on_child, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
    int before = count;
    pid_t child = start(5);
    wait_signal(before);
    CHECK(from == child && code == CLD_EXITED && status == 5 && check_wait(child) == 5);
    before = count;
    child = start(-SIGTERM);
    wait_signal(before);
    CHECK(from == child && code == CLD_KILLED && status == SIGTERM);
    CHECK(check_wait(child) == 256 + SIGTERM);

    int got;
    before = count;
    child = start(-SIGSTOP);
    CHECK(waitpid(child, &got, WUNTRACED) == child && WIFSTOPPED(got) && WSTOPSIG(got) == SIGSTOP);
    CHECK(kill(child, SIGCONT) == 0);
    CHECK(waitpid(child, &got, WCONTINUED) == child);
    if (WIFCONTINUED(got))
        CHECK(waitpid(child, &got, 0) == child);
    CHECK(WIFEXITED(got));

    action = (struct sigaction){.sa_handler = SIG_IGN};
    CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
    start(1);
    start(2);
    CHECK(waitpid(-1, &got, 0) < 0 && errno == ECHILD);
    return done();
}
