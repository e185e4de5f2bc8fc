/* Two threads that add to a sum, one after the other, each under its name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static pthread_t threads[2];

static void work(int n)
{
    pthread_mutex_lock(&lock);
    sum += n;
    pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
    int n = *(int *)arg;
    char name[16];
    snprintf(name, sizeof name, "worker-%d", n);
    pthread_setname_np(pthread_self(), name);
    if (n == 2)
        pthread_join(threads[0], NULL);
    work(n);
    return NULL;
}

int main(void)
{
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, &numbers[i]))
            return 1;
    pthread_join(threads[1], NULL);
    return sum == 3 ? 0 : 1;
}
