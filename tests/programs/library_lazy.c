/* Lazy binding: the first call of each function goes through the dynamic linker's resolver,
 * which must keep all argument registers, vectors too.
 *
 * with: plugin_a.c
 * flags: -O1 -fplt
 * libs: -l:plugin_a.so -lm -Wl,-z,lazy
 */
#include "check.h"
#include <math.h>

int plugin_value(int x), plugin_calls(void), plugin_apply(int (*f)(int), int x);

static int half(int x)
{
    return x / 2;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 10; i++)
        CHECK(plugin_value(i) == 3 * i + 1);
    CHECK(plugin_calls() == 10 && plugin_apply(half, 10) == 36);
    printf("%.10f %.10f %.10f\n", pow(argc + 1, 0.5), fma(2, 3, argc), hypot(3, argc + 3));
    return done();
}
