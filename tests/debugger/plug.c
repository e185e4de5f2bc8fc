/* A library that comes late, a signal, a child. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static __thread int mine;

static void handler(int number)
{
    caught = number;
}

int main(int argc, char **argv)
{
    int status = 0;
    mine = fileno(stdout);
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*plugged)(int) = library ? (int (*)(int))dlsym(library, "plugged") : NULL;
    if (!plugged || plugged(20) != 41)
        return 1;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    waitpid(child, &status, 0);
    return caught == SIGUSR1 && WEXITSTATUS(status) == 5 ? 0 : 1;
}
