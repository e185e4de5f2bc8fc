/* What does the tick cost where there is nothing else?  A loop of one cycle; the argument is
 * how many million rounds. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned long rounds = (argc > 1 ? strtoul(argv[1], NULL, 10) : 2000) * 1000000;
    unsigned long left = rounds;
    __asm__ volatile(".p2align 5\n1: dec %0\n jnz 1b" : "+r"(left) : : "cc");
    printf("%lu\n", rounds - left);
    return 0;
}
