/* A stack of a hundred thousand frames. */
#include <stdlib.h>

static int deep(int left)
{
    if (left == 0)
        abort();
    return deep(left - 1) + 1; /* mark deep */
}

int main(void)
{
    return deep(100000);
}
