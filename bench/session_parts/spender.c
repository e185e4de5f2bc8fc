/* A program to move in: spender ROUNDS MEGABYTES THREADS LATE. It touches MEGABYTES of memory, has
 * THREADS threads that only wait, and computes. In round LATE it writes a variable that it never
 * writes again. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long table[1 << 14];
static volatile unsigned long written;
volatile unsigned long once, never;

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

__attribute__((noinline)) unsigned long count(int n)
{
    return n < 2 ? 1 : count(n - 1) + count(n - 2);
}

/* Between two of these lie so many calls of count(10), each of which is 177 calls. */
enum { ROUNDS_PER_MARK = 8192 };
__attribute__((noinline)) void mark(unsigned long x)
{
    written = x;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000, megabytes = argc > 2 ? atol(argv[2]) : 0;
    long threads = argc > 3 ? atol(argv[3]) : 1, late = argc > 4 ? atol(argv[4]) : -1;
    unsigned long x = 1;
    char *memory = malloc((size_t)megabytes << 20 | 1);
    memset(memory, 1, (size_t)megabytes << 20);
    for (long i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, wait_for_ever, NULL))
            return 1;
    }
    for (long i = 0; i < rounds; i++) {
        x = x * 6364136223846793005ul + 1;
        table[x >> 50] += count(10);
        if (i == late)
            once = x;
        if (i % ROUNDS_PER_MARK == 0)
            mark(x);
    }
    printf("%lu %d\n", table[5] + written, memory[0]);
    return 0;
}
