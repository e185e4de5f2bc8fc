/* A producer and a consumer with a short queue, a mutex and two condition variables; the
 * argument is how many thousand pieces pass. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static unsigned long queue[PLACES];
static unsigned first, held;
static unsigned long pieces;

static void *produce(void *unused)
{
    for (unsigned long i = 0; i < pieces; i++) {
        pthread_mutex_lock(&mutex);
        while (held == PLACES)
            pthread_cond_wait(&not_full, &mutex);
        queue[(first + held++) % PLACES] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t producer;
    unsigned long sum = 0;
    pieces = (argc > 1 ? strtoul(argv[1], NULL, 10) : 500) * 1000;
    if (pthread_create(&producer, NULL, produce, NULL))
        return 1;
    for (unsigned long i = 0; i < pieces; i++) {
        pthread_mutex_lock(&mutex);
        while (!held)
            pthread_cond_wait(&not_empty, &mutex);
        sum += queue[first];
        first = (first + 1) % PLACES;
        held--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(producer, NULL);
    printf("%lu\n", sum);
    return 0;
}
