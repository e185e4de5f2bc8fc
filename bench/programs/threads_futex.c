/* Two threads that wake each other in turn by a bare futex; the argument is how many thousand
 * rounds. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint turn; /* even: the main thread's */
static unsigned rounds;

static void wait_for(unsigned parity)
{
    unsigned seen;
    while (((seen = atomic_load(&turn)) & 1) != parity)
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void play(unsigned parity)
{
    for (unsigned i = 0; i < rounds; i++) {
        wait_for(parity);
        atomic_fetch_add(&turn, 1);
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void *partner(void *unused)
{
    play(1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    rounds = (argc > 1 ? (unsigned)atoi(argv[1]) : 100) * 1000;
    if (pthread_create(&thread, NULL, partner, NULL))
        return 1;
    play(0);
    pthread_join(thread, NULL);
    printf("%u\n", atomic_load(&turn));
    return 0;
}
