/* Thread-local data of a library loaded while threads run.
 *
 * with: plugin_tls.c
 * libs: -ldl
 */
#include "check.h"
#include <dlfcn.h>
#include <pthread.h>

static int (*count)(int);
static pthread_barrier_t barrier;

static void *body(void *argument)
{
    int id = (intptr_t)argument;
    pthread_barrier_wait(&barrier);     /* started before the library is there */
    pthread_barrier_wait(&barrier);
    CHECK(count(id) == 30 + 4 * id);
    CHECK(count(id) == 30 + 8 * id);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    setvbuf(stdout, NULL, _IONBF, 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 5) == 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            CHECK(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)(i + 1)) == 0);
        pthread_barrier_wait(&barrier);
        void *library = dlopen("plugin_tls.so", RTLD_LAZY);
        CHECK(library && (count = (int (*)(int))dlsym(library, "plugin_count")));
        int *shared = dlsym(library, "plugin_shared");
        CHECK(shared && *shared == 20);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < 4; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(*shared == 20 && count(5) == 50 && dlclose(library) == 0);
    }
    return done();
}
