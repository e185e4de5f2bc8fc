/* A chain of execs: nothing is left behind in descriptors, mappings or environment.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>

static int areas(void)
{
    int count = 0, c;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f);
    while ((c = fgetc(f)) != EOF)
        count += c == '\n';
    fclose(f);
    return count;
}

int main(int argc, char **argv)
{
    int level = argc > 1 ? atoi(argv[1]) : 0, first = argc > 2 ? atoi(argv[2]) : areas();
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(fd == 3 && areas() <= first + 3);
    if (level == 30)
        return done();
    char next[16], kept[16];
    snprintf(next, sizeof next, "%d", level + 1);
    snprintf(kept, sizeof kept, "%d", first);
    execl("/proc/self/exe", argv[0], next, kept, NULL);
    CHECK(!"execl");
}
