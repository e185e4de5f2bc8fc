/* A library that comes late, and has most of the statements from then on. */
#include <dlfcn.h>
#include <stdio.h>

enum { BEFORE = 1300000, AFTER = 300000 };

static volatile unsigned sum;

static int call_back(int n)
{
    sum += n;
    return n - 1;
}

int main(int argc, char **argv)
{
    char path[4096];
    (void)argc;
    for (unsigned n = 0; n < BEFORE; n++)
        sum += n;
    snprintf(path, sizeof path, "%s.so", argv[0]);
    void *library = dlopen(path, RTLD_NOW);
    int (*work)(int, int (*)(int)) = (int (*)(int, int (*)(int)))dlsym(library, "plug_work");
    for (unsigned n = 0; n < AFTER; n++)
        sum += work(2, call_back);
    printf("%u\n", sum);
    return 0;
}
