/* A program with a library of its own, that reads its own file, catches a signal and ends with
 * 7. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *library_says(void);
unsigned library_mix(const void *bytes, unsigned size);

static volatile sig_atomic_t caught;

static void catch(int signal)
{
    caught = signal;
}

int main(void)
{
    char bytes[4096];
    FILE *self = fopen("/proc/self/exe", "r");
    if (!self || fread(bytes, 1, sizeof bytes, self) != sizeof bytes)
        return 1;
    fclose(self);
    signal(SIGUSR1, catch);
    raise(SIGUSR1);
    pid_t child = fork();
    if (child == 0)
        _exit(library_mix(bytes, 64) != library_mix(bytes, 64));
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s: %u, signal %d, child %d\n", library_says(), library_mix(bytes, sizeof bytes) != 0,
           (int)caught, status);
    puts("done");
    return 7;
}
