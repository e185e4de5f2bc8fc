/* Robust mutexes: the owner ends, the next one is told.  Priority inheritance: it locks.
 */
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>

static pthread_mutex_t *mutex;

static void *takes_and_ends(void *unused)
{
    CHECK(pthread_mutex_lock(mutex) == 0);
    return unused;
}

static void init(pthread_mutex_t *m, int robust, int protocol, int shared)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (robust)
        CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
    if (shared)
        CHECK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutex_init(m, &attributes) == 0);
}

static void by_thread(int protocol)
{
    pthread_t thread;
    init(mutex, 1, protocol, 0);
    CHECK(pthread_create(&thread, NULL, takes_and_ends, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_mutex_lock(mutex) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
    CHECK(pthread_mutex_lock(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
    CHECK(pthread_mutex_destroy(mutex) == 0);
}

static void by_process(void)
{
    init(mutex, 1, PTHREAD_PRIO_NONE, 1);
    pid_t child = fork();
    if (child == 0) {
        CHECK(pthread_mutex_lock(mutex) == 0);
        _exit(0);
    }
    CHECK(check_wait(child) == 0);
    CHECK(pthread_mutex_lock(mutex) == EOWNERDEAD && pthread_mutex_unlock(mutex) == 0);
    CHECK(pthread_mutex_lock(mutex) == ENOTRECOVERABLE);
}

static long count;

static void *adds(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        CHECK(pthread_mutex_lock(mutex) == 0);
        long was = count;
        if (i % 50 == 0)
            sched_yield();
        count = was + 1;
        CHECK(pthread_mutex_unlock(mutex) == 0);
    }
    return unused;
}

static void inheriting(void)
{
    pthread_t threads[3];
    init(mutex, 0, PTHREAD_PRIO_INHERIT, 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, adds, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(count == 3000);
}

int main(void)
{
    mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(mutex != MAP_FAILED);
    by_thread(PTHREAD_PRIO_NONE);
    by_thread(PTHREAD_PRIO_INHERIT);
    by_process();
    inheriting();
    return done();
}
