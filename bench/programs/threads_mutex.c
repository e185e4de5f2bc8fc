/* Four threads that quarrel over one mutex; the argument is how many thousand times each. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;
static long rounds;

static void *work(void *unused)
{
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        total += (unsigned long)i;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    rounds = (argc > 1 ? atol(argv[1]) : 1000) * 1000;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", total);
    return 0;
}
