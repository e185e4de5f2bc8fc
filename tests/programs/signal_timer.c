/* An interval timer fires all the time while a checksum is computed: nothing may be disturbed,
 * not flags, not vectors, not the x87 stack.  The work goes on until enough signals came.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <sys/time.h>

enum { WANTED = 200 };

static volatile sig_atomic_t rings;
static volatile double spoil;

static void on_alarm(int sig)
{
    (void)sig;
    rings++;
    spoil = spoil * 1.5 + rings;
    volatile long double other = spoil;
    other = other * other;
    __asm__ volatile("pcmpeqd %%xmm3, %%xmm3\n stc" : : : "xmm3", "cc");
}

__attribute__((noinline)) static unsigned work(unsigned seed)
{
    unsigned hash = seed;
    double d = seed % 1000;
    long double l = 1;
    for (int i = 0; i < 20000; i++) {
        hash = hash * 31 + (hash >> 7 ^ i);
        d = d * 0.999 + (hash & 15);
        l = l / 3 + i;
        if (hash & 1)
            hash ^= (unsigned)d + (unsigned)l;
    }
    return hash;
}

int main(void)
{
    unsigned wanted = work(1);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    while (rings < WANTED)
        CHECK(work(1) == wanted);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    printf("%08x\n", wanted);
    return done();
}
