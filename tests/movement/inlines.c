/* Functions that are inlined, one in the other, beside the other, and around calls. */
#include <stdio.h>

static volatile int source[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__attribute__((noinline)) static int apart(int x)
{
    volatile int y = x + 1;
    y *= 3;
    return y;
}

__attribute__((always_inline)) static inline int clamp(int x, int most)
{
    if (x > most)
        return most;
    source[7]++;
    return x;
}

__attribute__((always_inline)) static inline int blend(int a, int b)
{
    int sum = clamp(a, 4);
    sum += clamp(b, 5);
    if (sum > 7)
        sum -= apart(a);
    return sum;
}

__attribute__((noinline)) static int gather(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        total += blend(source[i], source[i + 1]);
        source[6] = total;
    }
    total += clamp(apart(total), 100) + clamp(apart(n), 90);
    return total;
}

int main(void)
{
    int sum = gather(5);
    sum += blend(gather(2), source[2]);
    source[0] = sum;
    printf("%d\n", sum);
    return 0;
}
