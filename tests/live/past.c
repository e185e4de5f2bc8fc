/* Threads, children and loops: something to stop at while it runs (tests/live/live.py). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(int n)
{
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    for (int i = 0; i < 200; i++)
        add(*(int *)argument);
    return NULL;
}

static void round_of(int n)
{
    pthread_t threads[2];
    int numbers[2] = {n, n + 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(n);
    waitpid(child, NULL, 0);
}

int main(void)
{
    char *text = malloc(32);
    for (int n = 1; n < 7; n++) {
        round_of(n);
        snprintf(text, 32, "round %d", n);
        add(n);
    }
    puts(text);
    free(text);
    return 0;
}
