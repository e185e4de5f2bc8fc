/* setjmp and longjmp: out of deep calls, many times, with values and kept registers.
 *
 * variants: static muslstatic
 * settings: yes
 */
#include "check.h"
#include <setjmp.h>

static jmp_buf back;

__attribute__((noinline)) static void deep(int n, int value)
{
    if (n == 0)
        longjmp(back, value);
    deep(n - 1, value);
    CHECK(!"came back");
}

int main(void)
{
    volatile int rounds = 0;
    volatile long sum = 0;
    int got = setjmp(back);
    sum += got;
    if (rounds < 5000) {
        rounds++;
        deep(rounds % 50, rounds);
    }
    CHECK(sum == 5000L * 5001 / 2);
    if (!setjmp(back))
        longjmp(back, 0);
    return done();
}
