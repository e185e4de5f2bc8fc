/* Threads that wait for each other in all the usual ways; the argument says which, `pair` without. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 6, CREW = 3 };

volatile int total, rounds;

/* Something to step in: a call, a loop, a variable that is watched. */
__attribute__((noinline)) static int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * n;
    total += sum;
    return sum;
}

__attribute__((noinline)) static void note(void)
{
    rounds++;
}

/* --- two that wait for each other in the same function --------------------------------------- */

static sem_t left, right;

static void *ping(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&left);
        work(i);
        sem_post(&right);
    }
    return arg;
}

static void pair(void)
{
    pthread_t other;
    sem_init(&left, 0, 0);
    sem_init(&right, 0, 0);
    pthread_create(&other, NULL, ping, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        note();
        sem_post(&left);
        sem_wait(&right);
        work(2);
    }
    pthread_join(other, NULL);
}

/* --- a queue --------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int places[2], used, closed;

static void put(int n)
{
    pthread_mutex_lock(&lock);
    while (used == 2)
        pthread_cond_wait(&emptied, &lock);
    places[used++] = n;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static int take(int *ret)
{
    pthread_mutex_lock(&lock);
    while (!used && !closed)
        pthread_cond_wait(&filled, &lock);
    int any = used > 0;
    if (any)
        *ret = places[--used];
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    return any;
}

static void *consume(void *arg)
{
    int n;
    while (take(&n))
        work(n);
    return arg;
}

static void queue(void)
{
    pthread_t crew[CREW];
    for (int i = 0; i < CREW; i++)
        pthread_create(&crew[i], NULL, consume, NULL);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        note();
        put(i % 4);
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CREW; i++)
        pthread_join(crew[i], NULL);
}

/* --- threads that come and go ---------------------------------------------------------------- */

static void *live(void *arg)
{
    work((int)(long)arg);
    if ((long)arg % 2)
        pthread_exit(arg);
    return arg;
}

static void births(void)
{
    for (long i = 0; i < ROUNDS; i++) {
        pthread_t child, sibling;
        pthread_create(&child, NULL, live, (void *)i);
        pthread_create(&sibling, NULL, live, (void *)(i + 1));
        note();
        pthread_join(child, NULL);
        pthread_join(sibling, NULL);
    }
}

/* --- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;
static sem_t seen, quit;

static void handle(int number)
{
    caught += number == SIGUSR1;
    sem_post(&seen);
}

static void *spin(void *arg)
{
    for (int i = 0; i < 100; i++)
        work(2);
    sem_wait(&quit);
    return arg;
}

static void signals(void)
{
    pthread_t crew[2];
    signal(SIGUSR1, handle);
    sem_init(&seen, 0, 0);
    sem_init(&quit, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&crew[i], NULL, spin, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_kill(crew[i % 2], SIGUSR1);
        sem_wait(&seen);
        note();
    }
    raise(SIGUSR1);
    sem_post(&quit);
    sem_post(&quit);
    for (int i = 0; i < 2; i++)
        pthread_join(crew[i], NULL);
}

/* --- a thread that forks --------------------------------------------------------------------- */

static void *multiply(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(work(3) & 1);
        waitpid(pid, NULL, 0);
        work(i);
    }
    return arg;
}

static void forks(void)
{
    pthread_t other;
    pthread_create(&other, NULL, multiply, NULL);
    for (int i = 0; i < ROUNDS; i++)
        work(i);
    note();
    pthread_join(other, NULL);
}

/* --- barriers -------------------------------------------------------------------------------- */

static pthread_barrier_t met;

static void *meet(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        work(i);
        pthread_barrier_wait(&met);
    }
    return arg;
}

static void barrier(void)
{
    pthread_t crew[CREW];
    pthread_barrier_init(&met, NULL, CREW + 1);
    for (int i = 0; i < CREW; i++)
        pthread_create(&crew[i], NULL, meet, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        note();
        pthread_barrier_wait(&met);
    }
    for (int i = 0; i < CREW; i++)
        pthread_join(crew[i], NULL);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } kinds[] = {
        {"pair", pair}, {"queue", queue}, {"births", births}, {"signals", signals},
        {"forks", forks}, {"barrier", barrier},
    };
    const char *name = argc > 1 ? argv[1] : "pair";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(kinds[i].name, name))
            kinds[i].run();
    printf("%d %d\n", total > 0, rounds);
    return 0;
}
