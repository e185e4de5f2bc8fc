/* Threads that spin on each other, with pause, with sched_yield, and with nothing at all,
 * make progress even on one processor.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <pthread.h>

enum { PLAIN, PAUSE, YIELD };

static volatile int turn;
static int kind, rounds;

static void wait_for(int mine)
{
    while (turn != mine) {
        if (kind == PAUSE)
            __builtin_ia32_pause();
        if (kind == YIELD)
            sched_yield();
    }
}

static void *other(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        wait_for(1);
        __atomic_store_n(&turn, 0, __ATOMIC_SEQ_CST);
    }
    return unused;
}

int main(void)
{
    static const int wanted[] = {10, 30, 300};
    for (kind = PLAIN; kind <= YIELD; kind++) {
        pthread_t thread;
        rounds = wanted[kind];
        CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
        for (int i = 0; i < rounds; i++) {
            wait_for(0);
            __atomic_store_n(&turn, 1, __ATOMIC_SEQ_CST);
        }
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return done();
}
