/* Threads that talk through pipes, eventfds and epoll, with timers and signals in between.
 *
 * variants: static musl
 */
#include "check.h"
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>

enum { ROUNDS = 60, WORKERS = 3 };

static int ping[2], pong[2], counter, timer, results[2];
static volatile int signals;

static void on_signal(int signal)
{
    signals += signal == SIGUSR1;
}

/* Answers each number with the next one. */
static void *answers(void *unused)
{
    int number;
    while (read(ping[0], &number, sizeof number) == sizeof number) {
        number++;
        struct iovec parts[2] = {{&number, 2}, {(char *)&number + 2, 2}};
        CHECK(writev(pong[1], parts, 2) == 4);
    }
    return unused;
}

/* Sleeps on a timer and two other descriptors, until told to stop by a count of 1000 and more. */
static void *gathers(void *unused)
{
    int set = epoll_create1(0), fds[3] = {counter, timer, results[0]};
    uint64_t sum = 0, ticks = 0, number;
    for (int i = 0; i < 3; i++)
        CHECK(epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &(struct epoll_event){EPOLLIN, {.fd = fds[i]}}) == 0);
    while (sum < 1000) {
        struct epoll_event events[3];
        int n = epoll_wait(set, events, 3, -1);
        CHECK(n > 0 || errno == EINTR);
        for (int i = 0; i < n; i++) {
            CHECK(read(events[i].data.fd, &number, 8) == 8);
            sum += events[i].data.fd == counter ? number : 0;
            ticks += events[i].data.fd == timer ? number : 0;
        }
    }
    CHECK(close(set) == 0);
    return ticks > 0 ? unused : NULL;
}

static void *works(void *to)
{
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t product = 1;
        for (uint64_t n = 1; n < 200 + i; n++)
            product = product * n + i;
        CHECK(write(results[1], &product, 8) == 8);
        if (i % 7 == 0)
            CHECK(pthread_kill(*(pthread_t *)to, SIGUSR1) == 0);
    }
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_t answerer, gatherer, workers[WORKERS];
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(pipe(ping) == 0 && pipe(pong) == 0 && pipe(results) == 0);
    CHECK((counter = eventfd(0, 0)) >= 0 && (timer = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0);
    CHECK(timerfd_settime(timer, 0, &(struct itimerspec){{0, 700000}, {0, 700000}}, NULL) == 0);
    CHECK(pthread_create(&answerer, NULL, answers, NULL) == 0);
    CHECK(pthread_create(&gatherer, NULL, gathers, NULL) == 0);
    pthread_t self = pthread_self();
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&workers[i], NULL, works, i ? &self : &answerer) == 0);
    for (int i = 0, number; i < ROUNDS; i++) {
        CHECK(write(ping[1], &i, sizeof i) == sizeof i);
        CHECK(read(pong[0], &number, sizeof number) == sizeof number && number == i + 1);
    }
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(workers[i], NULL) == 0);
    CHECK(write(counter, &(uint64_t){1000}, 8) == 8 && pthread_join(gatherer, NULL) == 0);
    CHECK(close(ping[1]) == 0 && pthread_join(answerer, NULL) == 0 && signals > 0);
    return done();
}
