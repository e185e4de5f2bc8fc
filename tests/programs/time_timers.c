/* alarm, setitimer, timer_create with signals and with values.
 */
#include "check.h"
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t rings, value;

static void on_alarm(int sig)
{
    (void)sig;
    rings++;
}

static void on_timer(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    CHECK(info->si_code == SI_TIMER);
    value = info->si_value.sival_int;
    rings++;
}

int main(void)
{
    signal(SIGALRM, on_alarm);
    signal(SIGVTALRM, on_alarm);
    signal(SIGPROF, on_alarm);
    CHECK(alarm(100000) == 0 && alarm(0) > 1);
    struct itimerval soon = {{0, 0}, {0, 2000}}, old;
    CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    while (rings < 1)
        ;
    CHECK(getitimer(ITIMER_REAL, &old) == 0 && old.it_value.tv_sec == 0 && !old.it_value.tv_usec);
    soon.it_interval.tv_usec = 2000;
    CHECK(setitimer(ITIMER_VIRTUAL, &soon, NULL) == 0);
    while (rings < 3)
        ;
    soon = (struct itimerval){{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_VIRTUAL, &soon, NULL) == 0);

    struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN,
                             .sigev_value.sival_int = 31};
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    rings = 0;
    CHECK(timer_settime(timer, 0, &often, NULL) == 0);
    while (rings < 10)
        ;
    CHECK(value == 31 && timer_getoverrun(timer) >= 0 && timer_delete(timer) == 0);
    return done();
}
