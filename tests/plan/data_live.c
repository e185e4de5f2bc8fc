/* Memory that changes in every way there is: stores of several threads and of a handler, answers of
 * the kernel that come at once and late, strings. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

volatile long watched[4];
static int ends[2];

static void on_user(int signal)
{
    (void)signal;
    watched[3]++;
}

static void *add(void *which)
{
    for (int i = 0; i < 1000; i++)
        watched[(long)which]++;
    return NULL;
}

static void *answer_late(void *unused)
{
    usleep(20000);
    return write(ends[1], "ABCDEFGH", 8) == 8 ? unused : NULL;
}

static void wait_for(pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 100; i++)
        watched[0] = i & 1;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, (void *)(i + 1));
    wait_for(threads, 2);
    signal(SIGUSR1, on_user);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
    if (pipe(ends) || write(ends[1], "abcdefgh", 8) != 8 || read(ends[0], (void *)watched, 8) != 8)
        return 1;
    pthread_create(&threads[0], NULL, answer_late, NULL);
    if (read(ends[0], (void *)(watched + 1), 8) != 8)
        return 1;
    wait_for(threads, 1);
    memset((void *)watched, 0xee, sizeof watched);
    printf("%lx\n", watched[2]);
    return 0;
}
