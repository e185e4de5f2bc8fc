/* A failed assertion of ebb: the sentence, and that it ends by SIGABRT.
 *
 * unit: src/base/assert.c src/base/complain.c
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"

static int one = 1;

static void hold(void)
{
    assert(one == 1);
    invariant(3, one);
}

static void fail_plainly(void)
{
    assert(one == 2);
}

static void fail_numbered(void)
{
    invariant(7, one > 1);
}

static void fail_at_moment(void)
{
    assertion_moment = (struct assertion_moment){1234, 0x40abcd};
    invariant(12, !one);
}

static const struct row {
    const char *name;
    void (*function)(void);
    const char *wanted; /* NULL: nothing happens */
} rows[] = {
    {"holds", hold, NULL},
    {"plain", fail_plainly,
     "ebb: assertion failed: one == 2, in fail_plainly (tests/unit/assertions.c:25); this is a bug in ebb\n"},
    {"numbered", fail_numbered,
     "ebb: assertion failed: one > 1, invariant (7), in fail_numbered (tests/unit/assertions.c:30); "
     "this is a bug in ebb\n"},
    {"moment", fail_at_moment,
     "ebb: assertion failed: !one, invariant (12), in fail_at_moment (tests/unit/assertions.c:36), "
     "near moment 1234:0x40abcd; this is a bug in ebb\n"},
};

/* What the function prints to stderr, and how its process ends. */
static int run(const struct row *row, char *said, size_t room)
{
    int pipes[2], status;
    size_t length = 0;
    ssize_t n;
    if (pipe(pipes) < 0)
        exit(2);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(pipes[1], STDERR_FILENO);
        row->function();
        _exit(0);
    }
    close(pipes[1]);
    while (length < room - 1 && (n = read(pipes[0], said + length, room - 1 - length)) > 0)
        length += (size_t)n;
    said[length] = '\0';
    close(pipes[0]);
    waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    for (size_t i = 0; i < countof(rows); i++) {
        char said[4096];
        int status = run(&rows[i], said, sizeof said);
        bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
        if (aborted == !!rows[i].wanted && strcmp(said, rows[i].wanted ? rows[i].wanted : "") == 0)
            printf("ok assertions-%s\n", rows[i].name);
        else
            printf("FAIL assertions-%s: status 0x%x: %s", rows[i].name, status, said);
    }
    return 0;
}
