/* Threads: started, joined with results, detached; their ids; thread-local storage; keys.
 *
 * variants: static musl muslstatic
 * libs: -lpthread
 * settings: yes
 */
#include "check.h"
#include <pthread.h>
#include <sys/syscall.h>

static __thread int local = 5;
static pthread_key_t key;
static int destroyed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

static void destroy(void *value)
{
    __atomic_fetch_add(&destroyed, (int)(intptr_t)value, __ATOMIC_SEQ_CST);
}

static void initialise(void)
{
    initialised++;
}

static void *body(void *argument)
{
    int n = (intptr_t)argument;
    CHECK(local == 5);
    local += n;
    pthread_setspecific(key, (void *)(intptr_t)1);
    pthread_once(&once, initialise);
    CHECK(syscall(SYS_gettid) != getpid());
    sched_yield();
    CHECK(local == 5 + n && pthread_equal(pthread_self(), pthread_self()));
    if (n % 2)
        pthread_exit((void *)(intptr_t)(n * n));
    return (void *)(intptr_t)(n * n);
}

int main(void)
{
    pthread_t threads[16];
    CHECK(pthread_key_create(&key, destroy) == 0);
    for (int i = 0; i < 16; i++)
        CHECK(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < 16; i++) {
        void *result;
        CHECK(pthread_join(threads[i], &result) == 0 && (intptr_t)result == i * i);
    }
    CHECK(local == 5 && destroyed == 16 && initialised == 1);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    CHECK(pthread_create(&thread, &attributes, body, NULL) == 0);
    while (__atomic_load_n(&destroyed, __ATOMIC_SEQ_CST) < 17)
        sched_yield();
    return done();
}
