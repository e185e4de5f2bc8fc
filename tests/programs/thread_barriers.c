/* Barriers, readers and writers, spin locks, semaphores (private and named by memory).
 *
 * variants: static
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 100 };

static pthread_barrier_t barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static int rounds[THREADS], serial, a, b, spun, inside, most;

static void *body(void *argument)
{
    int id = (intptr_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        rounds[id] = i;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial++;
        for (int k = 0; k < THREADS; k++)
            CHECK(rounds[k] == i);
        pthread_barrier_wait(&barrier);
        if ((i + id) % 4 == 0) {
            pthread_rwlock_wrlock(&lock);
            a++;
            sched_yield();
            b++;
        } else {
            pthread_rwlock_rdlock(&lock);
            CHECK(a == b);
        }
        pthread_rwlock_unlock(&lock);
        pthread_spin_lock(&spin);
        spun++;
        pthread_spin_unlock(&spin);
        sem_wait(&semaphore);
        int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        CHECK(now <= 2);
        if (now > most)
            most = now;
        sched_yield();
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        sem_post(&semaphore);
    }
    return NULL;
}

static void between_processes(void)
{
    sem_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    CHECK(sem_init(&shared[0], 1, 0) == 0 && sem_init(&shared[1], 1, 0) == 0);
    pid_t child = fork();
    for (int i = 0; i < 100; i++) {
        CHECK(sem_post(&shared[child == 0]) == 0);
        while (sem_wait(&shared[child != 0]) < 0)
            CHECK(errno == EINTR);
    }
    if (child == 0)
        _exit(0);
    CHECK(check_wait(child) == 0);
}

int main(void)
{
    pthread_t threads[THREADS];
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    CHECK(pthread_spin_init(&spin, 0) == 0 && sem_init(&semaphore, 0, 2) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(serial == ROUNDS && a == THREADS * ROUNDS / 4 && spun == THREADS * ROUNDS);
    CHECK(sem_trywait(&semaphore) == 0 && sem_trywait(&semaphore) == 0);
    CHECK(sem_trywait(&semaphore) < 0 && errno == EAGAIN);
    CHECK(sem_timedwait(&semaphore, &(struct timespec){1, 0}) < 0 && errno == ETIMEDOUT);
    between_processes();
    return done();
}
