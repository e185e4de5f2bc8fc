/* A variable in rbx, in a caller of functions that leave rbx alone and say nothing of it. */
#include <stdio.h>

__attribute__((noinline)) void stop_here(void)
{
    __asm__ volatile("");
}

static __attribute__((noinline)) long keep(long n)
{
    register long kept __asm__("rbx") = n * 3 + 41;
    __asm__ volatile("" : "+r"(kept));
    stop_here();
    __asm__ volatile("" : "+r"(kept));
    return kept;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%ld\n", keep(argc));
    return 0;
}
