/* Code on the stack: nested functions' trampolines, with an executable stack.
 *
 * flags: -O0 -z execstack
 * settings: yes
 */
#include "check.h"

static int apply(int (*f)(int), int x)
{
    return f(x);
}

static int with_trampoline(int base)
{
    int add(int x)
    {
        return x + base;
    }
    return apply(add, 1);
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        CHECK(with_trampoline(i) == i + 1);
    volatile unsigned char code[] = {0x8d, 0x47, 0x05, 0xc3};   /* lea 5(%rdi), %eax; ret */
    CHECK(apply((int (*)(int))code, 10) == 15);
    code[2] = 6;
    CHECK(apply((int (*)(int))code, 10) == 16);
    return done();
}
