/* What does a search cost that recurses and branches in equal parts?  The solutions of the
 * N queens. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    if (columns == all)
        return 1;
    unsigned long found = 0;
    for (unsigned open = all & ~(columns | left | right); open; open &= open - 1) {
        unsigned here = open & -open;
        found += place(all, columns | here, (left | here) << 1, (right | here) >> 1);
    }
    return found;
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 13;
    printf("%lu\n", place((1u << n) - 1, 0, 0, 0));
    return 0;
}
