/* A library that comes late, and has most of the statements from then on. */
#include <dlfcn.h>
#include <stdio.h>

enum { LONG_BEFORE = 30000000, BEFORE = 1300000, AFTER = 300000 };

static volatile unsigned sum;

__attribute__((noinline)) static void spin(unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        sum += n;
}

static int call_back(int n)
{
    sum += n;
    return n - 1;
}

__attribute__((noinline)) static void begin(const char *path)
{
    spin(BEFORE);
    void *library = dlopen(path, RTLD_NOW);
    int (*work)(int, int (*)(int)) = (int (*)(int, int (*)(int)))dlsym(library, "plug_work");
    for (unsigned n = 0; n < AFTER; n++)
        sum += work(2, call_back);
}

int main(int argc, char **argv)
{
    char path[4096];
    (void)argc;
    snprintf(path, sizeof path, "%s.so", argv[0]);
    spin(LONG_BEFORE);
    begin(path);
    printf("%u\n", sum);
    return 0;
}
