/* What every test program shares: a claim that ends the program when it is not so, and the
 * last token that shows that nothing died early.
 *
 * CHECK works in signal handlers, in forked children and in threads, since it only formats
 * into its own stack and writes; a child that fails exits with 1, which its parent checks.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(expr) ((expr) ? (void)0 : check_failed(__LINE__, #expr))

__attribute__((noreturn, unused)) static void check_failed(int line, const char *expr)
{
    char text[512];
    int len = snprintf(text, sizeof text, "line %d: not so: %s\n", line, expr);
    if (len > (int)sizeof text - 1)
        len = sizeof text - 1;
    if (write(2, text, len) < 0)
        _exit(2);
    _exit(1);
}

/* The status of a child that must exist and must end; 256 + N stands for death by signal N. */
__attribute__((unused)) static int check_wait(pid_t child)
{
    int status;
    CHECK(child > 0);
    pid_t got;
    do
        got = waitpid(child, &status, 0);
    while (got < 0 && errno == EINTR);
    CHECK(got == child);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

__attribute__((unused)) static int done(void)
{
    puts("done");
    return 0;
}

#endif
