/* Atomic instructions under contention: lock add, xadd, cmpxchg, cmpxchg16b, xchg, bts.
 *
 * flags: -O1 -mcx16
 * settings: yes
 */
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 5000 };

static long added, swapped, exchanged;
static unsigned bits;
static struct { uint64_t low, high; } __attribute__((aligned(16))) wide;

static void add_wide(void)
{
    uint64_t low = wide.low, high = wide.high;
    unsigned char ok;
    do
        __asm__ volatile("lock cmpxchg16b %1\n setz %0"
                         : "=q"(ok), "+m"(wide), "+a"(low), "+d"(high)
                         : "b"(low + 1), "c"(high + 2) : "cc", "memory");
    while (!ok);
}

static void *body(void *argument)
{
    int id = (intptr_t)argument;
    long kept = 0;
    for (int i = 0; i < ROUNDS; i++) {
        __atomic_fetch_add(&added, 1, __ATOMIC_SEQ_CST);
        long old = __atomic_load_n(&swapped, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&swapped, &old, old + 3, 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
            ;
        kept += __atomic_exchange_n(&exchanged, 1, __ATOMIC_SEQ_CST);
        __atomic_xor_fetch(&bits, 1u << id, __ATOMIC_SEQ_CST);
        add_wide();
    }
    return (void *)kept;
}

int main(void)
{
    pthread_t threads[THREADS];
    long kept = exchanged;
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        CHECK(pthread_join(threads[i], &result) == 0);
        kept += (long)result;
    }
    CHECK(added == THREADS * ROUNDS && swapped == 3 * THREADS * ROUNDS && bits == 0);
    CHECK(kept + exchanged == THREADS * ROUNDS);
    CHECK(wide.low == THREADS * ROUNDS && wide.high == 2 * THREADS * ROUNDS);
    return done();
}
