/* poll, select, epoll (level, edge, one-shot), eventfd, timerfd, with time-outs.
 *
 * variants: static
 */
#include "check.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <time.h>

static void by_epoll(int in, int out)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = 77}, got[4];
    char buf[10];
    CHECK(fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, in, &event) == 0);
    CHECK(epoll_ctl(fd, EPOLL_CTL_ADD, in, &event) < 0 && errno == EEXIST);
    CHECK(epoll_wait(fd, got, 4, 0) == 0);
    CHECK(write(out, "ab", 2) == 2);
    CHECK(epoll_wait(fd, got, 4, -1) == 1 && got[0].data.u64 == 77 && got[0].events == EPOLLIN);
    CHECK(epoll_wait(fd, got, 4, 0) == 0);           /* the edge has passed */
    event.events = EPOLLIN | EPOLLONESHOT;
    CHECK(epoll_ctl(fd, EPOLL_CTL_MOD, in, &event) == 0);
    CHECK(epoll_wait(fd, got, 4, 5) == 1 && epoll_wait(fd, got, 4, 5) == 0);
    event.events = EPOLLIN;
    CHECK(epoll_ctl(fd, EPOLL_CTL_MOD, in, &event) == 0);
    CHECK(epoll_wait(fd, got, 4, 5) == 1 && epoll_wait(fd, got, 4, 5) == 1);
    CHECK(read(in, buf, 10) == 2 && epoll_wait(fd, got, 4, 1) == 0);
    CHECK(epoll_ctl(fd, EPOLL_CTL_DEL, in, NULL) == 0 && close(fd) == 0);
}

static void by_poll_and_select(int in, int out)
{
    struct pollfd p[3] = {{in, POLLIN, 0}, {out, POLLOUT, 0}, {-1, POLLIN, 9}};
    CHECK(poll(p, 3, 0) == 1 && p[0].revents == 0 && p[1].revents == POLLOUT && !p[2].revents);
    CHECK(poll(p, 1, 3) == 0);
    fd_set reading, writing;
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_SET(in, &reading);
    FD_SET(out, &writing);
    CHECK(select(100, &reading, &writing, NULL, NULL) == 1);
    CHECK(!FD_ISSET(in, &reading) && FD_ISSET(out, &writing));
    FD_ZERO(&reading);
    FD_SET(in, &reading);
    struct timeval short_time = {0, 3000};
    CHECK(select(100, &reading, NULL, NULL, &short_time) == 0 && !FD_ISSET(in, &reading));
    p[0].fd = 999;
    CHECK(poll(p, 1, 0) == 1 && p[0].revents == POLLNVAL);
}

static void counters(void)
{
    uint64_t value;
    int fd = eventfd(5, EFD_NONBLOCK);
    CHECK(fd >= 0 && read(fd, &value, 8) == 8 && value == 5);
    CHECK(read(fd, &value, 8) < 0 && errno == EAGAIN);
    value = 7;
    CHECK(write(fd, &value, 8) == 8 && write(fd, &value, 8) == 8);
    CHECK(read(fd, &value, 8) == 8 && value == 14);

    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec soon = {{0, 2000000}, {0, 2000000}}, left;
    CHECK(timer >= 0 && timerfd_settime(timer, 0, &soon, NULL) == 0);
    uint64_t sum = 0;
    while (sum < 3) {
        CHECK(read(timer, &value, 8) == 8 && value > 0);
        sum += value;
    }
    CHECK(timerfd_gettime(timer, &left) == 0 && left.it_interval.tv_nsec == 2000000);
}

int main(void)
{
    int fds[2];
    CHECK(pipe(fds) == 0);
    by_epoll(fds[0], fds[1]);
    by_poll_and_select(fds[0], fds[1]);
    counters();
    return done();
}
