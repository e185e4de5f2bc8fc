/* fork: copies of memory, exit codes, waiting in all its ways, a tree of processes.
 *
 * variants: static muslstatic
 * settings: yes
 */
#include "check.h"

static int tree(int depth)
{
    int sum = 1;
    for (int i = 0; depth > 0 && i < 2; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(tree(depth - 1));
        sum += check_wait(child);
    }
    return sum;
}

int main(void)
{
    static int value = 1;
    pid_t self = getpid();
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        if (child == 0) {
            CHECK(getpid() != self && getppid() == self && value == 1);
            value = 2;
            _exit(i);
        }
        CHECK(check_wait(child) == i && value == 1);
    }
    CHECK(tree(4) == 31);

    pid_t child = fork();
    if (child == 0)
        pause();
    int status;
    siginfo_t info = {0};
    CHECK(waitpid(child, &status, WNOHANG) == 0);
    CHECK(kill(child, SIGTERM) == 0);
    CHECK(waitid(P_PID, child, &info, WEXITED | WNOWAIT) == 0);
    CHECK(info.si_pid == child && info.si_code == CLD_KILLED && info.si_status == SIGTERM);
    CHECK(wait(&status) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    CHECK(wait(&status) < 0 && errno == ECHILD);
    CHECK(waitpid(child, &status, 0) < 0 && errno == ECHILD);

    pid_t children[10];
    int sum = 0;
    for (int i = 0; i < 10; i++)
        if ((children[i] = fork()) == 0)
            _exit(i);
    while (wait(&status) > 0)
        sum += WEXITSTATUS(status);
    CHECK(sum == 45);
    return done();
}
