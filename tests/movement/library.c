/* A library that comes and goes, twice, and calls back. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int depth;

static int call_back(int n)
{
    depth++;
    return n - 1;
}

static int visit(const char *path, int n)
{
    void *library = dlopen(path, RTLD_LAZY);
    if (!library) {
        puts(dlerror());
        return 0;
    }
    int (*work)(int, int (*)(int)) = (int (*)(int, int (*)(int)))dlsym(library, "plug_work");
    int sum = work(n, call_back);
    sum += work(n + 1, call_back);
    dlclose(library);
    return sum;
}

int main(int argc, char **argv)
{
    char path[4096];
    (void)argc;
    snprintf(path, sizeof path, "%s.so", argv[0]);
    int sum = visit(path, 2);
    sum += visit(path, 4) + depth;
    printf("%d\n", sum);
    return 0;
}
