/* Generated code and threads: one writes, all run it, round after round.
 *
 * settings: yes
 */
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>

enum { THREADS = 3, ROUNDS = 100 };

static unsigned char *page;
static pthread_barrier_t barrier;

static void *runs(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        CHECK(((int (*)(void))page)() == i);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, runs, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        page[0] = 0xb8;
        memcpy(page + 1, &i, 4);
        page[5] = 0xc3;
        pthread_barrier_wait(&barrier);
        CHECK(((int (*)(void))page)() == i);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return done();
}
