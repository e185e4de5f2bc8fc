/* What libc makes of futexes: locks with owners and limits, owners that die while others wait,
 * broadcasts to many, semaphores, joins with a limit.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { MANY = 60, THREADS = 5, ROUNDS = 200 };

static pthread_mutex_t mutex;
static pthread_cond_t condition;
static int waiting, go, count;

static void init(int protocol, int robust)
{
    pthread_mutexattr_t attributes;
    CHECK(pthread_mutexattr_init(&attributes) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
    CHECK(pthread_mutexattr_setrobust(&attributes, robust) == 0);
    CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
    CHECK(pthread_cond_init(&condition, NULL) == 0);
    waiting = go = count = 0;
}

static struct timespec from_now(clockid_t clock, long milliseconds)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += milliseconds * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* A broadcast moves them all from the condition to the mutex. */
static void *waits(void *unused)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    waiting++;
    while (!go)
        CHECK(pthread_cond_wait(&condition, &mutex) == 0);
    count++;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    return unused;
}

static void broadcast(int protocol)
{
    pthread_t threads[MANY];
    init(protocol, PTHREAD_MUTEX_STALLED);
    for (int i = 0; i < MANY; i++)
        CHECK(pthread_create(&threads[i], NULL, waits, NULL) == 0);
    for (int all = 0; all < MANY; usleep(500)) {
        CHECK(pthread_mutex_lock(&mutex) == 0);
        all = waiting;
        CHECK(pthread_mutex_unlock(&mutex) == 0);
    }
    CHECK(pthread_mutex_lock(&mutex) == 0);
    go = 1;
    CHECK(pthread_cond_broadcast(&condition) == 0 && pthread_mutex_unlock(&mutex) == 0);
    for (int i = 0; i < MANY; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(count == MANY);
}

static void *adds(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec limit = from_now(CLOCK_REALTIME, 3600000);
        CHECK(pthread_mutex_timedlock(&mutex, &limit) == 0);
        int was = count;
        if (i % 16 == 0)
            sched_yield();
        count = was + 1;
        CHECK(pthread_mutex_unlock(&mutex) == 0);
    }
    return unused;
}

static void *is_late(void *unused)
{
    struct timespec limit = from_now(CLOCK_REALTIME, 5);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_mutex_timedlock(&mutex, &limit) == ETIMEDOUT);
    return unused;
}

static void timed(int protocol)
{
    pthread_t threads[THREADS], late;
    init(protocol, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, adds, NULL) == 0);
    CHECK(pthread_create(&late, NULL, is_late, NULL) == 0 && pthread_join(late, NULL) == 0);
    CHECK(count == 0 && pthread_mutex_unlock(&mutex) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(count == THREADS * ROUNDS);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
}

/* Each ends with the lock while the rest wait for it. */
static void *inherits(void *unused)
{
    int result = pthread_mutex_lock(&mutex);
    CHECK(result == (count ? EOWNERDEAD : 0));
    if (result == EOWNERDEAD)
        CHECK(pthread_mutex_consistent(&mutex) == 0);
    count++;
    usleep(300);
    return unused;
}

static void owners_die(int protocol)
{
    pthread_t threads[THREADS];
    init(protocol, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, inherits, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(count == THREADS && pthread_mutex_lock(&mutex) == EOWNERDEAD);
    CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
}

/* Time-outs of a condition by two clocks, and of a semaphore. */
static void limits(void)
{
    pthread_condattr_t attributes;
    struct timespec soon = from_now(CLOCK_MONOTONIC, 3), clock = from_now(CLOCK_REALTIME, 3);
    sem_t semaphore;
    init(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &clock) == ETIMEDOUT);
    CHECK(pthread_condattr_init(&attributes) == 0);
    CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&condition, &attributes) == 0);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &soon) == ETIMEDOUT);
    CHECK(sem_init(&semaphore, 0, 1) == 0 && sem_wait(&semaphore) == 0);
    CHECK(sem_timedwait(&semaphore, &clock) == -1 && errno == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static sem_t there, back;

static void *answers(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        CHECK(sem_wait(&there) == 0 && sem_post(&back) == 0);
    return unused;
}

static void to_and_fro(void)
{
    pthread_t thread;
    struct timespec soon = from_now(CLOCK_REALTIME, 3);
    CHECK(sem_init(&there, 0, 0) == 0 && sem_init(&back, 0, 0) == 0);
    CHECK(pthread_create(&thread, NULL, answers, NULL) == 0);
    CHECK(pthread_timedjoin_np(thread, NULL, &soon) == ETIMEDOUT);
    for (int i = 0; i < ROUNDS; i++)
        CHECK(sem_post(&there) == 0 && sem_wait(&back) == 0);
    soon = from_now(CLOCK_REALTIME, 3600000);
    CHECK(pthread_timedjoin_np(thread, NULL, &soon) == 0);
}

/* A child has one thread, even if other threads waited in its parent. */
static void forked(void)
{
    pthread_t threads[THREADS];
    init(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, waits, NULL) == 0);
    usleep(1000);
    pid_t child = fork();
    if (child == 0) {
        to_and_fro();
        timed(PTHREAD_PRIO_INHERIT);
        _exit(7);
    }
    CHECK(check_wait(child) == 7);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    go = 1;
    CHECK(pthread_cond_broadcast(&condition) == 0 && pthread_mutex_unlock(&mutex) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void)
{
    static const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};
    for (int i = 0; i < 2; i++) {
        broadcast(protocols[i]);
        timed(protocols[i]);
        owners_die(protocols[i]);
    }
    limits();
    to_and_fro();
    forked();
    return done();
}
