/* Tail calls, where the compiler makes them: a frame that is replaced. */
#include <stdio.h>

__attribute__((noinline)) static int finish_with(int x, int y)
{
    volatile int sum = x + y;
    sum *= 2;
    return sum;
}

__attribute__((noinline)) static int odd(int n, int sum);

__attribute__((noinline)) static int even(int n, int sum)
{
    if (n == 0)
        return finish_with(sum, 1);
    volatile int next = n - 1;
    return odd(next, sum + n);
}

__attribute__((noinline)) static int odd(int n, int sum)
{
    if (n == 0)
        return finish_with(sum, 2);
    volatile int next = n - 1;
    return even(next, sum - n);
}

__attribute__((noinline)) static int through(int (*f)(int, int), int n)
{
    volatile int start = n * 3;
    return f(start, n);
}

int main(void)
{
    int sum = even(5, 0) + odd(4, 1);
    sum += through(finish_with, sum);
    sum += through(even, 2);
    printf("%d\n", sum);
    return 0;
}
