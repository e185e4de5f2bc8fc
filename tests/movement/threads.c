/* Threads that take turns with a lock and a condition. */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 3, ROUNDS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn, total;
static __thread int own;

static int step(int n)
{
    own += n;
    return own % 7;
}

static void take_turn(int who)
{
    pthread_mutex_lock(&lock);
    while (turn != who)
        pthread_cond_wait(&turned, &lock);
    total += step(who + 1) + step(2);
    turn = (turn + 1) % WORKERS;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    int who = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++)
        take_turn(who);
    return (void *)(long)own;
}

static void *leave(void *argument)
{
    step((int)(long)argument);
    pthread_exit(argument);
}

int main(void)
{
    pthread_t threads[WORKERS], other;
    void *result;
    for (long n = 0; n < WORKERS; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < WORKERS; n++) {
        pthread_join(threads[n], &result);
        total += (int)(long)result;
    }
    pthread_create(&other, NULL, leave, (void *)5);
    pthread_join(other, &result);
    printf("%d %ld\n", total, (long)result);
    return 0;
}
