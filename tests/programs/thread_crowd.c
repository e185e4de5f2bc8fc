/* A crowd: many threads at once, all asleep on one condition, woken together, twice.
 */
#include "check.h"
#include <pthread.h>

enum { THREADS = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asleep, stage, sum;

static void *body(void *argument)
{
    pthread_mutex_lock(&mutex);
    for (int wanted = 1; wanted <= 2; wanted++) {
        if (++asleep == THREADS)
            pthread_cond_broadcast(&changed);
        while (stage < wanted)
            pthread_cond_wait(&changed, &mutex);
    }
    sum += (intptr_t)argument;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    static pthread_t threads[THREADS];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], &small, body, (void *)(intptr_t)i) == 0);
    for (int next = 1; next <= 2; next++) {
        pthread_mutex_lock(&mutex);
        while (asleep < THREADS)
            pthread_cond_wait(&changed, &mutex);
        asleep = 0;
        stage = next;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(sum == THREADS * (THREADS - 1) / 2);
    return done();
}
