/* The half that only has pointers to a vault. */
#ifdef __cplusplus
#define restrict __restrict__
#endif
#define WHICH 1
#include "apart.h"

#include <stdio.h>

static const int numbers[4] = {1, 2, 3, 4};
static const char title[6] = "apart";
static char room[70000];
static int counts[20000];

/* Clones of gcc: one without its second parameter, one for a constant, a part of a third. */
struct pair { int a, b; };
static __attribute__((noinline)) int first_of(struct pair *p, int unused)
{
    int a = p->a;
    (void)unused;
    return a * 3;
}
static __attribute__((noinline)) int padded(int n, int by)
{
    volatile int sum = n;
    for (int i = 0; i < by; i++)
        sum += room[i + n] + i;
    return sum;
}
static int checked(int n)
{
    if (n < 0) {
        printf("negative: %d\n", n);
        printf("%s\n", title);
        return 0;
    }
    return n + which;
}
static int choose(int n)
{
    enum { FEW = 2, MANY = 5 };
    int limit = n > FEW ? MANY : FEW;
    return limit + shared(n);
}
int look(vault *v, int n)
{
    int sum = vault_sum(v, numbers, n) + checked(n) + checked(n - 5);
    return sum + choose(n);
}
int main(int argc, char **argv)
{
    vault *v = vault_open(argc);
    room[argc + 1] = 0;
    struct pair p = {argc, 7}, q = {8, argc};
    int sum = look(v, 3) + first_of(&p, 1) + first_of(&q, 2) + padded(argc, 9) + padded(2, 9);
    counts[19999] = sum;
    printf("%d %s\n", sum + counts[argc] + checked(argc), title);
    return argv[0] == 0;
}
