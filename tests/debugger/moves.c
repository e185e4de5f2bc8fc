/* Calls within one statement, a loop, recursion, and a jump out of it. */
#include <setjmp.h>

static jmp_buf out;
static int total;

static int twice(int x)
{
    int y = x * 2;
    return y;
}

static int sink(int depth)
{
    if (depth == 0)
        longjmp(out, 7);
    return sink(depth - 1) + 1;
}

static int add_up(int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += twice(i);
        total++;
    }
    return sum;
}

int main(void)
{
    int a = twice(1) + twice(2);
    int b = add_up(5);
    int c = setjmp(out);
    if (c == 0)
        sink(3);
    total += a + b + c;
    return total == 38 ? 0 : 1;
}
