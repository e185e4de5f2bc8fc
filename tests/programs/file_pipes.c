/* Pipes: capacity, blocking between processes, end of file, EPIPE and SIGPIPE, non-blocking.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>

static volatile int broken;

static void on_pipe(int sig)
{
    broken = sig;
}

int main(void)
{
    int fds[2];
    static char block[70000];
    CHECK(pipe2(fds, O_NONBLOCK) == 0);
    CHECK(read(fds[0], block, 1) < 0 && errno == EAGAIN);
    ssize_t sum = 0, n;
    while ((n = write(fds[1], block, sizeof block)) > 0)
        sum += n;
    CHECK(errno == EAGAIN && sum >= 4096);
    while (sum > 0 && (n = read(fds[0], block, sizeof block)) > 0)
        sum -= n;
    CHECK(sum == 0 && close(fds[0]) == 0);
    signal(SIGPIPE, on_pipe);
    CHECK(write(fds[1], "x", 1) < 0 && errno == EPIPE && broken == SIGPIPE);
    close(fds[1]);

    CHECK(pipe(fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(fds[0]);
        for (int i = 0; i < 40; i++) {
            memset(block, i, sizeof block);
            CHECK(write(fds[1], block, sizeof block) == sizeof block);
        }
        _exit(0);
    }
    close(fds[1]);
    unsigned long hash = 0;
    while ((n = read(fds[0], block, 10000)) > 0)
        for (int i = 0; i < n; i++)
            hash += block[i], sum++;
    CHECK(n == 0 && sum == 40 * 70000 && hash == 70000UL * 39 * 20);
    CHECK(check_wait(child) == 0);
    return done();
}
