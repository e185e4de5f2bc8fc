/* outcome SECONDS FILE PROGRAM ARGS...: runs a program as the suites need it, and says how it
 * ended.
 *
 * A shell cannot tell `exit 139` from death by SIGSEGV; this can.  Output goes to FILE (both
 * streams, in order), input is /dev/null, and the last line of FILE says `exited N`,
 * `killed by N` or `timed out`.  Processes that the program leaves running are killed, so that one
 * case cannot disturb the next.
 *
 * tool: not a test
 */
#include "check.h"
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t expired;

static void on_alarm(int sig)
{
    (void)sig;
    expired = 1;
}

/* It goes on ringing each second: the first signal may come just before a wait begins. */
static void start_clock(int seconds)
{
    struct itimerval clock = {.it_value = {seconds, 0}, .it_interval = {1, 0}};
    setitimer(ITIMER_REAL, &clock, NULL);
}

/* Nothing of where the suite happens to run reaches the program: no open descriptors, no
 * ignored or blocked signals (a shell's background jobs ignore two).
 */
static void forget_surroundings(void)
{
    sigset_t none;
    for (int sig = 1; sig < 65; sig++)
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

static void run(int out, char **argv)
{
    int null = open("/dev/null", O_RDONLY);
    CHECK(null >= 0);
    setpgid(0, 0);
    dup2(null, 0);
    dup2(out, 1);
    dup2(out, 2);
    forget_surroundings();
    execvp(argv[0], argv);
    CHECK(!"exec of the program under test");
}

/* Waits for the child itself, burying others that ended before it; false when time is up. */
static int wait_for(pid_t child, int *status)
{
    while (!expired) {
        pid_t got = waitpid(-1, status, 0);
        if (got == child)
            return 1;
        if (got < 0 && errno != EINTR)
            return 0;
    }
    return 0;
}

/* Orphans come to us, since we are a subreaper: those outside the group are killed by pid. */
static void kill_leftovers(pid_t group)
{
    char path[64], pids[4096];
    for (int round = 0; round < 100; round++) {
        kill(-group, SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd < 0 ? 0 : read(fd, pids, sizeof pids - 1);
        close(fd);
        if (got <= 0)
            return;
        pids[got] = 0;
        for (char *p = strtok(pids, " "); p; p = strtok(NULL, " "))
            if (atoi(p) > 1)
                kill(atoi(p), SIGKILL);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
}

int main(int argc, char **argv)
{
    CHECK(argc > 3);
    int out = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    CHECK(out >= 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        run(out, argv + 3);
    start_clock(atoi(argv[1]));
    int status = 0;
    int ended = wait_for(child, &status);
    start_clock(0);
    kill_leftovers(child);
    if (!ended)
        dprintf(out, "timed out\n");
    else if (WIFSIGNALED(status))
        dprintf(out, "killed by %d\n", WTERMSIG(status));
    else
        dprintf(out, "exited %d\n", WEXITSTATUS(status));
    return 0;
}
