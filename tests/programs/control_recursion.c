/* Recursion some megabytes deep: the stack grows as it would natively.
 *
 * variants: static
 * flags: -O0
 */
#include "check.h"

static long deep(long n)
{
    char room[100];
    room[n % 100] = n;
    if (n == 0)
        return 0;
    return deep(n - 1) + 1 + (room[n % 100] - (char)n);
}

int main(void)
{
    CHECK(deep(25000) == 25000);
    for (int i = 0; i < 5; i++)
        CHECK(deep(3000 * i) == 3000 * i);
    return done();
}
