/* A timer interrupts several threads that compute; the checksums stay right.
 *
 * settings: yes
 */
#include "check.h"
#include <pthread.h>
#include <sys/time.h>

static volatile int rings;

static void on_alarm(int sig)
{
    (void)sig;
    __atomic_fetch_add(&rings, 1, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) static unsigned work(unsigned hash)
{
    double d = hash % 1000;
    for (int i = 0; i < 10000; i++) {
        hash = hash * 31 + (hash >> 7 ^ i);
        d = d * 0.999 + (hash & 15);
        if (hash & 1)
            hash ^= (unsigned)d;
    }
    return hash;
}

static void *body(void *seed)
{
    unsigned wanted = work((intptr_t)seed);
    while (rings < 150)
        CHECK(work((intptr_t)seed) == wanted);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)(i + 1)) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    return done();
}
