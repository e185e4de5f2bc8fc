/* Recursion, direct and mutual, with several calls in one statement. */
#include <stdio.h>

static int fibonacci(int n)
{
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

static int is_odd(int n);

static int is_even(int n)
{
    if (!n)
        return 1;
    int odd = is_odd(n - 1);
    return odd;
}

static int is_odd(int n)
{
    if (!n)
        return 0;
    int even = is_even(n - 1);
    return even;
}

static long ackermann(long m, long n)
{
    if (!m)
        return n + 1;
    if (!n)
        return ackermann(m - 1, 1);
    return ackermann(m - 1,
                     ackermann(m, n - 1));
}

static int hanoi(int disks, int from, int to)
{
    int by = 6 - from - to, moves = 1;
    if (disks > 1) {
        moves += hanoi(disks - 1, from, by);
        moves += hanoi(disks - 1, by, to);
    }
    return moves;
}

int main(void)
{
    int sum = fibonacci(7) + fibonacci(4);
    sum += is_even(9) + is_odd(4);
    sum += (int)ackermann(2, 2) + hanoi(5, 1, 3);
    printf("%d\n", sum);
    return 0;
}
