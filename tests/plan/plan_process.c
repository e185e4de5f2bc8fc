/* A fork, a vfork with an exec, a child that is waited for, and an exec at the end, after one that
 * fails. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    if (argc > 1)
        return 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    waitpid(pid, &status, 0);
    pid = vfork();
    if (pid == 0) {
        execl("/proc/self/exe", argv[0], "child", (char *)NULL);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    execl("/nowhere/at/all", "x", (char *)NULL);
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    return 1;
}
