/* Callbacks: the C library, which has no lines here, calls back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compared;

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    compared++;
    return x < y ? -1 : x > y;
}

static int compare_text(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static void at_end(void)
{
    compared = -compared;
    puts("end");
}

static int twice(int (*f)(int), int x)
{
    int once = f(x);
    return f(once);
}

static int add_three(int x)
{
    return x + 3;
}

int main(void)
{
    int numbers[] = {5, 3, 9, 1, 7, 7, 2, 8};
    static const char *const names[] = {"ada", "bob", "cyd", "dan"};
    atexit(at_end);
    qsort(numbers, 8, sizeof numbers[0], compare);
    int sum = twice(add_three, numbers[0]) + twice(add_three, numbers[7]);
    int key = 7;
    int *found = bsearch(&key, numbers, 8, sizeof key, compare);
    sum += (int)strlen(*(char **)bsearch("cyd", names, 4, sizeof names[0], compare_text)) + add_three(*found);
    printf("%d %d\n", sum, compared);
    return 0;
}
