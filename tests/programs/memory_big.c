/* Large reservations: a program may reserve address space by the terabyte and touch little.
 *
 * variants: static
 */
#include "check.h"
#include <sys/mman.h>

int main(void)
{
    size_t size = 1UL << 40;
    char *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(p != MAP_FAILED);
    for (int i = 0; i < 100; i++) {
        char *at = p + (size / 100 * i & -4096UL);
        CHECK(mprotect(at, 4096, PROT_READ | PROT_WRITE) == 0);
        at[i] = i;
    }
    for (int i = 0; i < 100; i++)
        CHECK(p[(size / 100 * i & -4096UL) + i] == i);
    CHECK(munmap(p, size) == 0);
    for (int i = 0; i < 50; i++) {
        p = malloc(3 << 20);
        CHECK(p);
        memset(p, i, 3 << 20);
        free(p);
    }
    char *many[200];
    for (int i = 0; i < 200; i++) {
        many[i] = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(many[i] != MAP_FAILED);
        many[i][i] = i;
    }
    for (int i = 0; i < 200; i++)
        CHECK(many[i][i] == (char)i && munmap(many[i], 1 << 20) == 0);
    return done();
}
