/* A thread lets a semaphore go, computes a little, takes it again, and waits for something else
 * while it has it.  Another one wants it, and must get it: it does not if it only ever runs while
 * the first one waits.
 *
 * libs: -lpthread
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>

enum { PASSES = 5, COMPUTING = 30000, SECONDS = 400 };

static sem_t semaphore;
static int over;

static void *keeper(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
        CHECK(sem_wait(&semaphore) == 0);
        usleep(50);
        CHECK(sem_post(&semaphore) == 0);
        for (volatile int n = 0; n < COMPUTING; n++)
            continue;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    alarm(SECONDS);
    CHECK(sem_init(&semaphore, 0, 1) == 0);
    CHECK(pthread_create(&thread, NULL, keeper, NULL) == 0);
    for (int n = 0; n < PASSES; n++) {
        usleep(1000);
        CHECK(sem_wait(&semaphore) == 0);
        CHECK(sem_post(&semaphore) == 0);
    }
    __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
    CHECK(pthread_join(thread, NULL) == 0);
    return done();
}
