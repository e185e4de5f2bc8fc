/* ppoll, pselect, epoll_pwait change the mask for their duration and put it back.
 */
#include "check.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static volatile int got;

static void on_signal(int sig)
{
    sigset_t now;
    got++;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, sig));
}

static int blocked(void)
{
    sigset_t now;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
    return sigismember(&now, SIGUSR1);
}

int main(void)
{
    sigset_t set, none;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, on_signal);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    int fds[2];
    CHECK(pipe(fds) == 0);
    struct pollfd p = {fds[0], POLLIN, 0};
    for (int i = 0; i < 20; i++) {
        got = 0;
        raise(SIGUSR1);
        CHECK(got == 0);
        CHECK(ppoll(&p, 1, NULL, &none) < 0 && errno == EINTR && got == 1 && blocked());
        raise(SIGUSR1);
        fd_set in;
        FD_ZERO(&in);
        FD_SET(fds[0], &in);
        CHECK(pselect(fds[0] + 1, &in, NULL, NULL, NULL, &none) < 0 && errno == EINTR);
        CHECK(got == 2 && blocked());
        int epoll = epoll_create1(0);
        struct epoll_event event;
        raise(SIGUSR1);
        CHECK(epoll_pwait(epoll, &event, 1, -1, &none) < 0 && errno == EINTR);
        CHECK(got == 3 && blocked() && close(epoll) == 0);
    }
    CHECK(write(fds[1], "x", 1) == 1);
    CHECK(ppoll(&p, 1, NULL, &none) == 1 && blocked());
    return done();
}
