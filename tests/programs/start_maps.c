/* /proc/self/maps shows the guest's areas, sorted, and none that the guest did not make.
 *
 * variants: static nopie
 */
#include "check.h"
#include <sys/mman.h>

struct area {
    unsigned long start, end;
    char rights[5], path[512];
};

static int next(FILE *f, struct area *a)
{
    char line[1024];
    if (!fgets(line, sizeof line, f))
        return 0;
    a->path[0] = 0;
    int n = sscanf(line, "%lx-%lx %4s %*s %*s %*s %511[^\n]", &a->start, &a->end, a->rights,
                   a->path);
    CHECK(n >= 3);
    return 1;
}

/* The rights of the area an address lies in, and part of its name. */
static int holds(const void *at, const char *rights, const char *path)
{
    struct area a;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f);
    int found = 0;
    while (next(f, &a))
        if ((unsigned long)at >= a.start && (unsigned long)at < a.end)
            found = !strcmp(a.rights, rights) && strstr(a.path, path) != NULL;
    fclose(f);
    return found;
}

int main(int argc, char **argv)
{
    (void)argc;
    static int data = 1;
    int local;
    struct area a, before = {0};
    unsigned long unnamed = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f);
    while (next(f, &a)) {
        CHECK(a.start < a.end && a.start >= before.end);
        CHECK(!strstr(a.path, "ebb-engine"));
        unnamed += a.path[0] ? 0 : a.end - a.start;
        before = a;
    }
    fclose(f);
    CHECK(unnamed < 16 << 20);          /* no code cache, no tables */
    const char *base = strrchr(argv[0], '/');
    CHECK(holds(main, "r-xp", base));
    CHECK(holds(&data, "rw-p", base));
    CHECK(holds(&local, "rw-p", "[stack]"));
    char *p = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    CHECK(holds(p, "r--p", "") && holds(p + 2 * 4096, "r--p", ""));
    CHECK(mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE) == 0);
    CHECK(holds(p, "r--p", "") && holds(p + 4096, "rw-p", ""));
    CHECK(munmap(p + 4096, 4096) == 0);
    CHECK(!holds(p + 4096, "rw-p", "") && holds(p + 8192, "r--p", ""));
    return done();
}
