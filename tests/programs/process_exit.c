/* Ways to end: exit with handlers, _exit without, quick_exit, abort, return, from a fork.
 *
 * variants: static
 */
#include "check.h"
#include <sys/resource.h>

static int tell;

static void at_exit(void)
{
    CHECK(write(tell, "a", 1) == 1);
}

static void at_quick(void)
{
    CHECK(write(tell, "q", 1) == 1);
}

static void on_abort(int sig)
{
    (void)sig;
    CHECK(write(tell, "s", 1) == 1);
}

static void end(int how)
{
    atexit(at_exit);
    at_quick_exit(at_quick);
    switch (how) {
    case 0: exit(10);
    case 1: _exit(11);
    case 2: quick_exit(12);
    case 3: abort();
    case 4: signal(SIGABRT, on_abort); abort();
    case 5: signal(SIGABRT, SIG_IGN); abort();
    case 6: exit(-1);
    }
}

int main(void)
{
    static const struct { int status; const char *said; } wanted[] = {
        {10, "a"}, {11, ""}, {12, "q"}, {256 + SIGABRT, ""}, {256 + SIGABRT, "s"},
        {256 + SIGABRT, ""}, {255, "a"},
    };
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (int how = 0; how < 7; how++) {
        int fds[2];
        CHECK(pipe(fds) == 0);
        pid_t child = fork();
        if (child == 0) {
            tell = fds[1];
            end(how);
        }
        close(fds[1]);
        char said[8] = "";
        CHECK(read(fds[0], said, 7) == (ssize_t)strlen(wanted[how].said));
        CHECK(!strcmp(said, wanted[how].said) && check_wait(child) == wanted[how].status);
        close(fds[0]);
    }
    return done();
}
