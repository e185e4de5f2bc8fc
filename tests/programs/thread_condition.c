/* Condition variables: a bounded queue between producers and consumers, broadcast, time-out.
 *
 * variants: static musl
 * settings: yes
 */
#include "check.h"
#include <pthread.h>
#include <time.h>

enum { ROOM = 8, ITEMS = 2000, PRODUCERS = 2, CONSUMERS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], used, ended;
static long sum;

static void *produce(void *first)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (used == ROOM)
            pthread_cond_wait(&not_full, &mutex);
        queue[used++] = (intptr_t)first + i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (used == 0 && !ended)
            pthread_cond_wait(&not_empty, &mutex);
        if (used == 0) {
            pthread_mutex_unlock(&mutex);
            return NULL;
        }
        sum += queue[--used];
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
}

int main(void)
{
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++)
        CHECK(pthread_create(&threads[PRODUCERS + i], NULL, consume, NULL) == 0);
    for (int i = 0; i < PRODUCERS; i++)
        CHECK(pthread_create(&threads[i], NULL, produce, (void *)(intptr_t)(i * 1000)) == 0);
    for (int i = 0; i < PRODUCERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    pthread_mutex_lock(&mutex);
    ended = 1;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < CONSUMERS; i++)
        CHECK(pthread_join(threads[PRODUCERS + i], NULL) == 0);
    long each = (long)ITEMS * (ITEMS - 1) / 2;
    CHECK(sum == 2 * each + 1000L * ITEMS);

    struct timespec past = {1, 0};
    pthread_mutex_lock(&mutex);
    CHECK(pthread_cond_timedwait(&not_empty, &mutex, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return done();
}
