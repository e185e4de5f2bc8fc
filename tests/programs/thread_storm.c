/* A storm of short threads: hundreds started and joined, some from others.
 *
 * variants: static musl
 * settings: yes
 */
#include "check.h"
#include <pthread.h>

static int total;

static void *leaf(void *unused)
{
    char *p = malloc(100);
    memset(p, 1, 100);
    __atomic_fetch_add(&total, p[50], __ATOMIC_RELAXED);
    free(p);
    return unused;
}

static void *branch(void *unused)
{
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        CHECK(pthread_create(&threads[i], NULL, leaf, NULL) == 0);
    for (int i = 0; i < 5; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return unused;
}

int main(void)
{
    for (int round = 0; round < 20; round++) {
        pthread_t threads[5];
        for (int i = 0; i < 5; i++)
            CHECK(pthread_create(&threads[i], NULL, branch, NULL) == 0);
        for (int i = 0; i < 5; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK(total == 500);
    return done();
}
