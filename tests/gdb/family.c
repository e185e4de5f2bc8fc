/* A process with a child that works, then executes another program, as it does itself.
 *
 *   family fork|vfork      the child executes this program again, the parent /bin/echo
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int depth;

static void child_work(int n)
{
    for (int i = 0; i < n; i++)
        depth += i;
}

static void parent_work(int n)
{
    for (int i = 0; i < n; i++)
        depth += 2 * i;
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "again") == 0) {
        child_work(7);
        return depth;
    }
    depth = 100;
    pid_t pid = strcmp(argv[1], "vfork") == 0 ? vfork() : fork();
    if (pid == 0) {
        if (strcmp(argv[1], "fork") == 0)
            child_work(5);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        _exit(9);
    }
    parent_work(3);
    waitpid(pid, &status, 0);
    printf("%d %d\n", depth, WEXITSTATUS(status));
    fflush(stdout);
    execl("/bin/echo", "echo", "done", (char *)NULL);
    return 1;
}
