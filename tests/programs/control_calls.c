/* Calls of every kind: recursive, mutual, through pointers, tail calls, alloca, varargs.
 *
 * variants: static
 * flags: -O2
 * settings: yes
 */
#include "check.h"
#include <alloca.h>
#include <stdarg.h>

__attribute__((noinline)) static long fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int odd(unsigned n);
__attribute__((noinline)) static int even(unsigned n)
{
    return n == 0 ? 1 : odd(n - 1);
}

__attribute__((noinline)) static int odd(unsigned n)
{
    return n == 0 ? 0 : even(n - 1);
}

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__attribute__((noinline)) static long total(int count, ...)
{
    va_list list;
    va_start(list, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return sum;
}

__attribute__((noinline)) static int stacked(int n)
{
    unsigned char *p = alloca(n * 16 + 1);
    memset(p, n, n * 16 + 1);
    int below = n ? stacked(n - 1) : 0;
    return below + p[n * 8];
}

int main(void)
{
    int (*volatile pointers[])(unsigned) = {even, odd};
    printf("%ld %d\n", fib(24), ackermann(2, 200));
    int hits = 0;
    for (unsigned i = 0; i < 20000; i++)
        hits += pointers[i * 7 % 2](i % 9);
    printf("%d %d\n", hits, even(1000001));
    printf("%ld\n", total(6, 1, 2.5, 3, 4.5, 5, 6.0));
    printf("%d\n", stacked(200));
    return done();
}
