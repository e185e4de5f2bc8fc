/* IFUNC: a resolver that runs before main chooses the function.
 *
 * variants: static nopie staticpie
 */
#include "check.h"

static int resolved;

static int plain(int x)
{
    return x + 1;
}

static int quick(int x)
{
    return 1 + x;
}

static int (*choose(void))(int)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") ? quick : plain;
}

int chosen(int x) __attribute__((ifunc("choose")));

int main(void)
{
    for (int i = 0; i < 100; i++)
        CHECK(chosen(i) == i + 1);
    int (*volatile pointer)(int) = chosen;
    CHECK(pointer(5) == 6 && resolved == 0);
    return done();
}
