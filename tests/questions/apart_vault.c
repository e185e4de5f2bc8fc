/* The half that has vaults. */
#ifdef __cplusplus
#define restrict __restrict__
#endif
#define WHICH 2
#include "apart.h"

struct vault { int start; vault *next; struct { int used, left; } room; };

static vault only;

vault *vault_open(int start)
{
    only.start = start + which;
    only.next = &only;
    only.room.left = 9;
    return &only;
}
int vault_sum(vault *v, const int *restrict numbers, int count)
{
    int sum = v->start;
    for (int i = 0; i < count; i++)
        sum += numbers[i] + v->next->room.left;
    v->room.used = shared(count);
    return sum;
}
