/* Mutexes of every type: counted under contention; trylock, recursive, error-checking, timed.
 *
 * variants: static musl
 * settings: yes
 */
#include "check.h"
#include <pthread.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 3000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *adds(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(pthread_mutex_lock(&mutex) == 0);
        long was = count;
        if (i % 64 == 0)
            sched_yield();
        count = was + 1;
        CHECK(pthread_mutex_unlock(&mutex) == 0);
    }
    return NULL;
}

static void *is_taken(void *mutex_pointer)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 2000000;
    if (soon.tv_nsec >= 1000000000)
        soon.tv_sec++, soon.tv_nsec -= 1000000000;
    CHECK(pthread_mutex_trylock(mutex_pointer) == EBUSY);
    CHECK(pthread_mutex_timedlock(mutex_pointer, &soon) == ETIMEDOUT);
    return NULL;
}

static void of_type(int type, int second_lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t m;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    CHECK(pthread_mutexattr_settype(&attributes, type) == 0);
    CHECK(pthread_mutex_init(&m, &attributes) == 0 && pthread_mutex_lock(&m) == 0);
    if (type != PTHREAD_MUTEX_NORMAL)
        CHECK(pthread_mutex_lock(&m) == second_lock);
    CHECK(pthread_create(&thread, NULL, is_taken, &m) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(pthread_mutex_unlock(&m) == 0);
    if (second_lock == 0 && type == PTHREAD_MUTEX_RECURSIVE)
        CHECK(pthread_mutex_unlock(&m) == 0);
    CHECK(pthread_mutex_trylock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, adds, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(count == THREADS * ROUNDS);
    of_type(PTHREAD_MUTEX_NORMAL, 0);
    of_type(PTHREAD_MUTEX_RECURSIVE, 0);
    of_type(PTHREAD_MUTEX_ERRORCHECK, EDEADLK);
    return done();
}
