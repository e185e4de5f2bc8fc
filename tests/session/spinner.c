/* A program that only computes, for a second or so: something to be interrupted in. */
#include <stdio.h>

static unsigned long table[1 << 14];

static unsigned long count(int n)
{
    return n < 2 ? 1 : count(n - 1) + count(n - 2);
}

int main(void)
{
    unsigned long x = 1;
    for (int i = 0; i < 100000; i++) {
        x = x * 6364136223846793005ul + 1;
        table[x >> 50] += count(10);
    }
    printf("%lu\n", table[5]);
    return 0;
}
