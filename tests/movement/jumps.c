/* longjmp: out of one frame, out of many, into a loop, and again and again. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf outer, inner;
static int depth_seen;

static int dig(int depth)
{
    depth_seen = depth;
    if (depth == 5)
        longjmp(outer, depth);
    int below = dig(depth + 1);
    return below + 1;
}

static int leap(int n)
{
    if (n % 2)
        longjmp(inner, n);
    return n * 2;
}

static int try_leap(volatile int n)
{
    volatile int sum = 0;
    for (; n < 6; n++) {
        int caught = setjmp(inner);
        if (caught) {
            sum += 100;
            continue;
        }
        sum += leap(n) + leap(n + 1);
    }
    return sum;
}

static int both(void)
{
    volatile int tried = 0;
    int code = setjmp(outer);
    if (code && ++tried == 3)
        return tried + code;
    int value = try_leap(tried) + dig(tried);
    return value;
}

int main(void)
{
    int sum = both();
    sum += depth_seen;
    printf("%d\n", sum);
    return 0;
}
