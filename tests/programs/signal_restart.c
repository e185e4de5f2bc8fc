/* A signal during a waiting call: restarted with SA_RESTART, EINTR without; calls that are
 * never restarted.  A child keeps sending until it is told to stop, so no time matters.
 *
 * variants: static
 */
#include "check.h"
#include <poll.h>
#include <sys/select.h>
#include <sys/epoll.h>
#include <time.h>

static volatile sig_atomic_t signals;
static int wake;                        /* written after some signals, for restarted reads */

static void on_signal(int sig)
{
    (void)sig;
    if (++signals == 5 && wake >= 0)
        CHECK(write(wake, "x", 1) == 1);
}

static pid_t start_sender(void)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        while (getppid() == parent) {
            nanosleep(&(struct timespec){0, 3000000}, NULL);
            if (kill(parent, SIGUSR1) < 0)
                break;
        }
        _exit(0);
    }
    CHECK(child > 0);
    return child;
}

static void install(int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

int main(void)
{
    int fds[2], other[2];
    char byte;
    CHECK(pipe(fds) == 0 && pipe(other) == 0);
    install(0);
    wake = -1;
    pid_t sender = start_sender();
    CHECK(read(fds[0], &byte, 1) < 0 && errno == EINTR);
    struct pollfd p = {fds[0], POLLIN, 0};
    CHECK(poll(&p, 1, -1) < 0 && errno == EINTR);
    install(SA_RESTART);
    CHECK(poll(&p, 1, -1) < 0 && errno == EINTR);    /* never restarted */
    CHECK(pause() < 0 && errno == EINTR);
    fd_set in;
    FD_ZERO(&in);
    FD_SET(fds[0], &in);
    CHECK(select(fds[0] + 1, &in, NULL, NULL, NULL) < 0 && errno == EINTR);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &event) == 0);
    CHECK(epoll_wait(epoll, &event, 1, -1) < 0 && errno == EINTR);
    struct timespec left = {0, 0};
    CHECK(nanosleep(&(struct timespec){100, 0}, &left) < 0 && errno == EINTR);
    CHECK(left.tv_sec > 0 && left.tv_sec <= 100);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){100, 0}, &left) == EINTR);

    wake = fds[1];
    signals = 0;                        /* in this order: it is past 5 by now */
    CHECK(read(fds[0], &byte, 1) == 1 && byte == 'x' && signals >= 5);
    install(0);
    CHECK(waitpid(sender, NULL, 0) < 0 && errno == EINTR);
    signal(SIGUSR1, SIG_IGN);
    CHECK(kill(sender, SIGKILL) == 0);
    CHECK(check_wait(sender) == 256 + SIGKILL);
    return done();
}
