/* Calls, loops and recursion, and in the end a store through a null pointer.  Once main has
 * begun, the C library is not called. */
#include <stddef.h>

static volatile int total;

static int twice(int x)
{
    int y = x * 2;
    return y;
}

static void add(int n)
{
    total += twice(n);
}

static int depth(int n)
{
    if (n == 0)
        return 0;
    return 1 + depth(n - 1);
}

static void done(void)
{
    total += 1;
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        add(i);
    int both = twice(3) + twice(4);
    int deep = depth(20);
    done();
    int *nowhere = NULL;
    if (both + deep == 34)
        *nowhere = 7;
    return 0;
}
