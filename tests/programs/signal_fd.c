/* signalfd: blocked signals read as data, with poll.
 */
#include "check.h"
#include <poll.h>
#include <sys/signalfd.h>

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN + 1);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    CHECK(fd >= 0);
    struct signalfd_siginfo info[4];
    CHECK(read(fd, info, sizeof info) < 0 && errno == EAGAIN);
    struct pollfd poll_fd = {fd, POLLIN, 0};
    CHECK(poll(&poll_fd, 1, 0) == 0);
    raise(SIGUSR1);
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 9});
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 10});
    CHECK(poll(&poll_fd, 1, 1000) == 1);
    CHECK(read(fd, info, sizeof info) == 3 * sizeof info[0]);
    CHECK(info[0].ssi_signo == SIGUSR1 && info[1].ssi_int == 9 && info[2].ssi_int == 10);
    CHECK(info[1].ssi_pid == (uint32_t)getpid());
    CHECK(poll(&poll_fd, 1, 0) == 0);
    return done();
}
