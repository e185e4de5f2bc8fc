/* Timers that signal one thread, others that start threads, and threads that signal each other
 * meanwhile.
 *
 * libs: -lrt
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>

enum { THREADS = 3, EXPIRIES = 5, SENT = 30 };

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static pthread_t threads[THREADS];
static sem_t started, notified;
static volatile int expired[THREADS], received, sent;

static __thread int own;

static void on_timer(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    CHECK(info->si_value.sival_int == own);
    expired[own]++;
}

static void on_message(int signal)
{
    (void)signal;
    __atomic_fetch_add(&received, 1, __ATOMIC_SEQ_CST);
}

static timer_t make_timer(struct sigevent *event)
{
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &(struct itimerspec){{0, 500000}, {0, 300000}}, NULL) == 0);
    return timer;
}

static void *counts(void *number)
{
    own = (int)(intptr_t)number;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 1,
                             .sigev_value.sival_int = own};
    event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    timer_t timer = make_timer(&event);
    CHECK(sem_post(&started) == 0);
    unsigned turns = 0;
    while (expired[own] < EXPIRIES)
        turns = turns * 31 + 7;
    CHECK(timer_delete(timer) == 0);
    close(-1 - (int)(turns & 0xffff));
    return NULL;
}

static void notify(union sigval value)
{
    if (value.sival_int == 5)
        sem_post(&notified);
}

int main(void)
{
    struct sigaction timed = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
    struct sigaction message = {.sa_handler = on_message, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGRTMIN + 1, &timed, NULL) == 0 && sigaction(SIGRTMIN + 2, &message, NULL) == 0);
    CHECK(sem_init(&started, 0, 0) == 0 && sem_init(&notified, 0, 0) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, counts, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++)
        while (sem_wait(&started) < 0)
            CHECK(errno == EINTR);
    for (int i = 0; i < SENT; i++)
        sent += pthread_sigqueue(threads[i % THREADS], SIGRTMIN + 2, (union sigval){.sival_int = 0}) == 0;
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify,
                             .sigev_value.sival_int = 5};
    timer_t timer = make_timer(&event);
    for (int i = 0; i < 3; i++)
        while (sem_wait(&notified) < 0)
            CHECK(errno == EINTR);
    CHECK(timer_delete(timer) == 0 && received <= sent);
    return done();
}
