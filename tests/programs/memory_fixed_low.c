/* Fixed low addresses that programs like to map, and what MAP_32BIT gives.
 *
 * variants: static nopie
 */
#include "check.h"
#include <sys/mman.h>

enum { PAGE = 4096 };

/* Is it the program's own?  Then nothing is mapped over it. */
static int map_at(uintptr_t at, size_t size)
{
    char *got = mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != (char *)at)
        return 0;
    got[0] = got[size - 1] = 1;
    return munmap(got, size) == 0;
}

int main(void)
{
    CHECK(map_at(0x10000, PAGE));
    CHECK(map_at(0x200000, PAGE));
    CHECK(map_at(0x10000000, 8 << 20));
    CHECK(map_at(0x1ffff000, PAGE));
    CHECK(map_at(0x20000000, 16 << 20));
    CHECK(map_at(0x21000000, PAGE));
    CHECK(map_at(0x30000000, 256 << 20));
    CHECK(map_at(0x60000000, 256 << 20));
    CHECK(map_at(0x80000000, 1 << 20) && map_at(0xf0000000, 1 << 20));
    CHECK(map_at(0x100000000, 1 << 20));
    for (int i = 0; i < 64; i++) {
        size_t size = (size_t)PAGE << i % 8;
        char *low = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
        CHECK(low != MAP_FAILED && (uintptr_t)low + size <= 0x80000000);
        low[size - 1] = 1;
    }
    void *much = mmap(NULL, 400 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_NORESERVE, -1, 0);
    CHECK(much != MAP_FAILED && (uintptr_t)much + (400 << 20) <= 0x80000000);
    return done();
}
