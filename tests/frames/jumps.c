/* Calls by jumps, parameters on the stack and in vector registers, chains of which each function
 * is over when the next begins. */
#include <stdio.h>
#include <stdlib.h>

#define ALONE __attribute__((noinline))

volatile int state;

static ALONE int leaf(int a, int b)
{
    state += a;
    if (state > 1000)
        abort();
    state++;
    return state + b;
}

ALONE int middle(int x)
{
    state++;
    return leaf(x + 1, 7);
}

ALONE int outer(int x, double d)
{
    state += (int)d;
    state++;
    return middle(x * 2);
}

ALONE int odd(int n);

ALONE int even(int n)
{
    state++;
    if (n == 0)
        return leaf(1, 2);
    return odd(n - 1);
}

ALONE int odd(int n)
{
    state++;
    if (n == 0)
        return leaf(2, 3);
    return even(n - 1);
}

ALONE int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    state += a + b + c + d + e + f + g + h;
    int r = leaf(a, h);
    state += r;
    return r + outer(g, 1.0);
}

ALONE int either(int n)
{
    state++;
    return n & 1 ? middle(n) : outer(n, 3.5);
}

int main(int argc, char **argv)
{
    (void)argv;
    int r = outer(argc + 3, 2.5);
    state = 0;
    r += many(1, 2, 3, 4, 5, 6, argc + 6, 8);
    r += even(argc + 4);
    r += either(argc + 8);
    printf("%d\n", r);
    return 0;
}
