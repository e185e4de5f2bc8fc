/* Computes for at least 0.4 seconds of the processor, then ends: by its status, or `crash`.  Says
 * whether it has noticed anything: a child that is not its own, a signal, an open file. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static volatile sig_atomic_t children;
static unsigned long state = 1;

static void on_child(int signal)
{
    (void)signal;
    children++;
}

static int open_files(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    int files = open_files();
    signal(SIGCHLD, on_child);
    while (clock() < 4 * CLOCKS_PER_SEC / 10)
        for (int i = 0; i < 300000; i++)
            state = state * 6364136223846793005ul + (state >> 63 ? 3 : 1);
    int child = waitpid(-1, NULL, WNOHANG | __WALL);
    puts(child == -1 && errno == ECHILD && !children && open_files() == files ? "undisturbed"
                                                                              : "disturbed");
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "crash") == 0)
        *(volatile int *)8 = (int)state;
    return 7;
}
