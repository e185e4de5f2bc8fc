/* A run that is long enough for snapshots on any machine: a billion branches, a heap, occasional
 * output, threads at the beginning, and at the end a fault that its handler survives. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEAP = 4 << 20, ROUNDS = 300, STEPS = 3000000 };

static unsigned long state = 12345, total;
static unsigned char *heap;
static sigjmp_buf back;

__attribute__((noinline)) static unsigned long work(unsigned long steps)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < steps; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        if (state >> 63)
            sum += state >> 33;
        else
            sum ^= state;
    }
    return sum;
}

static void *waits(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void on_fault(int signal)
{
    siglongjmp(back, signal);
}

int main(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    signal(SIGSEGV, on_fault);
    heap = calloc(1, HEAP);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, waits, &lock);
    for (int round = 0; round < ROUNDS; round++) {
        total += work(STEPS);
        heap[total % HEAP]++;
        if (round % 10 == 0) {
            printf("%d %lu\n", round, total);
            fflush(stdout);
        }
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    if (!sigsetjmp(back, 1))
        *(volatile int *)8 = 1;
    return 0;
}
