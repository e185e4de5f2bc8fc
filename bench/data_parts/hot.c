/* A program to watch: hot ROUNDS EACH. Its busy function has a local that is written once, next to
 * locals that are written in every round. One variable is written in every round, with a number
 * that is never negative. Another is last written EACH rounds before the end, and a third EACH /
 * 100 rounds before it. */
#include <stdio.h>
#include <stdlib.h>

volatile long counter, second_ago, moment_ago;
static volatile long *quiet_at;

__attribute__((noinline)) static unsigned mix(unsigned x)
{
    for (int i = 0; i < 8; i++)
        x = x * 1664525 + 1013904223;
    return x;
}

__attribute__((noinline)) static long busy(long rounds, long each)
{
    volatile long before = 0, quiet = rounds, behind = 0;
    quiet_at = &quiet;
    for (long i = 0; i < rounds; i++) {
        before += mix((unsigned)i);
        behind ^= i;
        counter = i;
        if (i == rounds - each)
            second_ago = i;
        if (i == rounds - each / 100)
            moment_ago = i;
    }
    return before + behind + quiet;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000000, each = argc > 2 ? atol(argv[2]) : rounds / 2;
    long sum = busy(rounds, each);
    printf("%ld %p\n", sum, (void *)quiet_at);
    return 0;
}
