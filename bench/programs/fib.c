/* What does a call and its return cost?  fib(N) by plain recursion. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    if (n < 2)
        return n;
    unsigned first = fib(n - 1);
    __asm__ volatile("" : "+r"(first)); /* keep the compiler from unrolling the recursion */
    return first + fib(n - 2);
}

int main(int argc, char **argv)
{
    printf("%u\n", fib(argc > 1 ? (unsigned)atoi(argv[1]) : 40));
    return 0;
}
