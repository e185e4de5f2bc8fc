/* The stack at start: strings above, growth below, and /proc/self/stat agrees.
 *
 * variants: static
 */
#include "check.h"
#include <sys/auxv.h>
#include <sys/resource.h>

static unsigned long field(int wanted)
{
    char text[4096];
    FILE *f = fopen("/proc/self/stat", "r");
    CHECK(f && fgets(text, sizeof text, f));
    fclose(f);
    char *p = strrchr(text, ')') + 1;
    for (int i = 3; i < wanted; i++)
        p = strchr(p + 1, ' ');
    return strtoul(p, NULL, 10);
}

int main(int argc, char **argv, char **envp)
{
    uintptr_t local = (uintptr_t)&local;
    CHECK((uintptr_t)argv > local);
    CHECK(envp == argv + argc + 1);
    CHECK((uintptr_t)argv[0] > (uintptr_t)envp);
    char **e = envp;
    while (*e)
        CHECK((uintptr_t)*e++ > (uintptr_t)envp);
    CHECK(getauxval(AT_EXECFN) > (uintptr_t)e);
    CHECK(field(1 + 3) > 0 || field(4) == 0);
    uintptr_t start = field(28);
    CHECK(start >= local && start <= (uintptr_t)argv);
    return done();
}
