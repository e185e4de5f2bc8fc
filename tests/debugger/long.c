/* Computes for two seconds of the processor's time, however fast that is. */
#include <time.h>

static volatile unsigned long sum, rarely;

static void never(void)
{
    sum = 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    rarely = 1;
    while (clock() < 2 * CLOCKS_PER_SEC)
        for (unsigned i = 0; i < 1000000; i++)
            sum += i & 3;
    if (argc > 5)
        never();
    return 0;
}
