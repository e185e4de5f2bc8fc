/* A child of vfork is killed while it computes: its parent goes on, and knows how it ended.
 */
#include "check.h"
#include <time.h>

/* Another process reads process ids from the pipe, and kills each a little later. */
static pid_t start_killer(int *in)
{
    int fds[2];
    CHECK(pipe(fds) == 0);
    pid_t killer = fork();
    if (killer == 0) {
        pid_t victim;
        CHECK(read(fds[0], &victim, sizeof victim) == sizeof victim);
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        _exit(kill(victim, SIGKILL) != 0);
    }
    CHECK(killer > 0);
    *in = fds[1];
    return killer;
}

int main(void)
{
    int in;
    pid_t killer = start_killer(&in);
    pid_t child = vfork();
    if (child == 0) {
        pid_t self = getpid();
        if (write(in, &self, sizeof self) != sizeof self)
            _exit(1);
        for (;;)
            __asm__ volatile("" ::: "memory");
    }
    CHECK(check_wait(child) == 256 + SIGKILL && check_wait(killer) == 0);
    return done();
}
