/* Loops that the translator unrolls, loops with branches inside, recursion, calls through
 * pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned words[32];

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static void tight(unsigned count)
{
    __asm__ volatile("1: dec %0; jnz 1b" : "+r"(count));
}

__attribute__((noinline)) static void counted(unsigned long count)
{
    __asm__ volatile("1: incl %1; loop 1b" : "+c"(count), "+m"(words[31]));
}

__attribute__((noinline)) static unsigned mixed(unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        if (i % 3 == 0)
            sum += words[i % 31];
        else if (i % 5 == 0)
            sum ^= i;
        words[i % 31] = sum;
    }
    return sum;
}

static int compare(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

int main(void)
{
    char text[64];
    tight(40);
    counted(9);
    unsigned a = fib(9), b = mixed(60);
    memset(text, 'x', sizeof(text));
    qsort(words, 12, sizeof(words[0]), compare);
    printf("%u %u %c\n", a, b, text[5]);
    return 0;
}
