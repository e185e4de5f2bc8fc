/* Threads with names that wait for each other, and a signal. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t met, go;
static volatile sig_atomic_t caught;
static volatile int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(int n)
{
    pthread_mutex_lock(&lock);
    sum += n;
    pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
    char name[16];
    int n = *(int *)arg;
    snprintf(name, sizeof name, "worker-%d", n);
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&met);
    work(n);
    pthread_barrier_wait(&go);
    return NULL;
}

static void handler(int number)
{
    caught = number;
}

static void all_there(void)
{
    caught++;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    signal(SIGUSR1, handler);
    pthread_barrier_init(&met, NULL, 3);
    pthread_barrier_init(&go, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    pthread_barrier_wait(&met);
    all_there();
    pthread_barrier_wait(&go);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    raise(SIGUSR1);
    return sum == 3 && caught == SIGUSR1 ? 0 : 1;
}
