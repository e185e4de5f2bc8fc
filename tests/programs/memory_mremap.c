/* mremap: grow in place or moving, shrink, to a fixed place; contents go along.
 *
 * variants: static
 */
#include "check.h"
#include <sys/mman.h>

enum { PAGE = 4096, RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

static void fill(char *p, int pages)
{
    for (int i = 0; i < pages; i++)
        p[i * PAGE] = i + 1;
}

static int holds(const char *p, int pages)
{
    for (int i = 0; i < pages; i++)
        if (p[i * PAGE] != i + 1)
            return 0;
    return 1;
}

int main(void)
{
    char *p = mmap(NULL, 8 * PAGE, RW, ANON, -1, 0);
    CHECK(p != MAP_FAILED);
    fill(p, 8);
    CHECK(mremap(p, 8 * PAGE, 4 * PAGE, 0) == p && holds(p, 4));
    unsigned char in;
    CHECK(mincore(p + 4 * PAGE, PAGE, &in) < 0 && errno == ENOMEM);
    CHECK(mmap(p + 4 * PAGE, PAGE, RW, ANON | MAP_FIXED, -1, 0) != MAP_FAILED);
    CHECK(mremap(p, 4 * PAGE, 16 * PAGE, 0) == MAP_FAILED && errno == ENOMEM);
    char *q = mremap(p, 4 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
    CHECK(q != MAP_FAILED && q != p && holds(q, 4) && q[15 * PAGE] == 0);
    CHECK(mincore(p, PAGE, &in) < 0);
    fill(q, 16);

    char *room = mmap(NULL, 64 * PAGE, PROT_NONE, ANON, -1, 0);
    CHECK(room != MAP_FAILED);
    CHECK(mremap(q, 16 * PAGE, 32 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 8 * PAGE) ==
          room + 8 * PAGE);
    CHECK(holds(room + 8 * PAGE, 16) && room[39 * PAGE] == 0);
    CHECK(mincore(q, PAGE, &in) < 0);
    CHECK(mremap(room + 8 * PAGE, 2 * PAGE, 2 * PAGE, MREMAP_FIXED | MREMAP_MAYMOVE,
                 room + 9 * PAGE) == MAP_FAILED && errno == EINVAL);
    CHECK(mremap(q, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED && errno == EFAULT);

    p = malloc(1 << 20);                             /* libc's realloc uses mremap */
    for (int mib = 1; mib < 20; mib++) {
        memset(p + ((size_t)(mib - 1) << 20), mib, 1 << 20);
        p = realloc(p, (size_t)(mib + 1) << 20);
        for (int i = 0; i < mib; i++)
            CHECK(p[(size_t)i << 20] == i + 1);
    }
    return done();
}
