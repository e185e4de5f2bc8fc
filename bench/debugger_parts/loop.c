/* A loop of one statement a round: loop COUNT. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long total;

__attribute__((noinline)) static void spin(long count)
{
    for (long i = 0; i < count; i++)
        total += i;
}

int main(int argc, char **argv)
{
    spin(argc > 1 ? atol(argv[1]) : 1000);
    printf("%lu\n", total);
    return 0;
}
