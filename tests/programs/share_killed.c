/* Processes that are killed in the middle of sharing memory: while they run, while they wait, and
 * while they hold a robust lock; the others go on.
 */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static struct shared {
    atomic_int ready;
    atomic_long count;
    pthread_mutex_t lock;
    char page[4096] __attribute__((aligned(4096)));
} *shared;

static void wait_ready(int value)
{
    while (atomic_load(&shared->ready) != value)
        usleep(200);
}

static void kill_and_wait(pid_t child)
{
    CHECK(child > 0 && kill(child, SIGKILL) == 0);
    CHECK(check_wait(child) == 256 + SIGKILL);
}

static void while_it_runs(void)
{
    atomic_store(&shared->ready, 0);
    pid_t child = fork();
    if (child == 0) {
        atomic_store(&shared->ready, 1);
        for (;;)
            atomic_fetch_add(&shared->count, 1);
    }
    wait_ready(1);
    kill_and_wait(child);
    long count = atomic_load(&shared->count);
    for (int n = 0; n < 1000; n++)
        atomic_fetch_add(&shared->count, 1);
    CHECK(atomic_load(&shared->count) == count + 1000);
}

static void while_it_waits(void)
{
    atomic_store(&shared->ready, 0);
    pid_t child = fork();
    if (child == 0) {
        shared->page[7] = 'k';
        atomic_store(&shared->ready, 2);
        for (;;)
            pause();
    }
    wait_ready(2);
    kill_and_wait(child);
    CHECK(shared->page[7] == 'k');
}

static void with_a_lock(int spins)
{
    atomic_store(&shared->ready, 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK(pthread_mutex_lock(&shared->lock) == 0);
        atomic_store(&shared->ready, 3);
        while (spins)
            atomic_fetch_add(&shared->count, 1);
        for (;;)
            pause();
    }
    wait_ready(3);
    pid_t killer = fork();
    if (killer == 0) {
        usleep(20000);
        CHECK(child > 0);
        _exit(kill(child, SIGKILL) == 0 ? 0 : 1);
    }
    CHECK(pthread_mutex_lock(&shared->lock) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&shared->lock) == 0);
    CHECK(pthread_mutex_unlock(&shared->lock) == 0);
    CHECK(check_wait(killer) == 0 && check_wait(child) == 256 + SIGKILL);
    CHECK(pthread_mutex_trylock(&shared->lock) == 0 && pthread_mutex_unlock(&shared->lock) == 0);
}

/* One that ends without giving it back. */
static void by_itself(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(pthread_mutex_lock(&shared->lock));
    CHECK(check_wait(child) == 0);
    CHECK(pthread_mutex_lock(&shared->lock) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&shared->lock) == 0);
    CHECK(pthread_mutex_unlock(&shared->lock) == 0);
}

int main(void)
{
    pthread_mutexattr_t a;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    CHECK(pthread_mutexattr_init(&a) == 0);
    CHECK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutex_init(&shared->lock, &a) == 0);
    while_it_runs();
    while_it_waits();
    with_a_lock(0);
    with_a_lock(1);
    by_itself();
    return done();
}
