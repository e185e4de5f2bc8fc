/* Process groups and sessions: setpgid, kill to a group, setsid in a child, a daemon's double
 * fork.  Nothing is assumed of the group and session the test is started in.
 */
#include "check.h"
#include <fcntl.h>

int main(void)
{
    pid_t members[3], group = 0;
    for (int i = 0; i < 3; i++) {
        members[i] = fork();
        if (members[i] == 0)
            for (;;)
                pause();
        CHECK(members[i] > 0);
        if (i == 0)
            group = members[0];
        CHECK(setpgid(members[i], group) == 0 && getpgid(members[i]) == group);
    }
    CHECK(kill(-group, SIGTERM) == 0);
    for (int i = 0; i < 3; i++) {
        int status;
        pid_t got = waitpid(-group, &status, 0);
        CHECK(got == members[0] || got == members[1] || got == members[2]);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    }
    CHECK(waitpid(-group, NULL, 0) < 0 && errno == ECHILD);

    pid_t child = fork();
    if (child == 0) {
        pid_t session = setsid();
        CHECK(session == getpid() && getsid(0) == session && getpgrp() == session);
        CHECK(setsid() < 0 && errno == EPERM);
        _exit(0);
    }
    CHECK(check_wait(child) == 0);

    int fds[2];
    CHECK(pipe(fds) == 0);
    child = fork();
    if (child == 0) {
        CHECK(setsid() > 0);
        if (fork() > 0)
            _exit(0);
        CHECK(chdir("/") == 0 && getsid(0) != getpid());
        CHECK(write(fds[1], "daemon", 6) == 6);
        _exit(0);
    }
    CHECK(check_wait(child) == 0);
    close(fds[1]);
    char text[10] = "";
    CHECK(read(fds[0], text, 9) == 6 && !strcmp(text, "daemon"));
    CHECK(read(fds[0], text, 9) == 0);
    return done();
}
