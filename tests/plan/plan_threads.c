/* Threads that work, wait for each other, and end. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int whose, sum;

static void *work(void *argument)
{
    int self = (int)(long)argument;
    for (int n = 0; n < 8; n++) {
        pthread_mutex_lock(&lock);
        while (whose != self)
            pthread_cond_wait(&turn, &lock);
        for (int i = 0; i < 5; i++)
            sum += self * i;
        whose = (self + 1) % 3;
        pthread_cond_broadcast(&turn);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    printf("%d\n", sum);
    return 0;
}
