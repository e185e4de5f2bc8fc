/* pidfd: open, poll, signal, wait; where the kernel has them.
 */
#include "check.h"
#include <poll.h>
#include <sys/syscall.h>

int main(void)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    int fd = syscall(SYS_pidfd_open, child, 0);
    if (fd < 0) {
        CHECK(errno == ENOSYS || errno == EPERM);
        CHECK(kill(child, SIGKILL) == 0 && check_wait(child) == 256 + SIGKILL);
        return done();
    }
    struct pollfd p = {fd, POLLIN, 0};
    CHECK(poll(&p, 1, 0) == 0);
    CHECK(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) == 0);
    CHECK(poll(&p, 1, -1) == 1 && (p.revents & POLLIN));
    siginfo_t info = {0};
    CHECK(waitid(P_PIDFD, fd, &info, WEXITED) == 0);
    CHECK(info.si_pid == child && info.si_status == SIGTERM);
    return done();
}
