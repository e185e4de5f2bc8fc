/* mmap: anywhere, with a hint, fixed, without replacing, and what each must refuse.
 *
 * variants: static muslstatic
 */
#include "check.h"
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
enum { PAGE = 4096, RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

int main(void)
{
    char *p = mmap(NULL, 16 * PAGE, RW, ANON, -1, 0);
    CHECK(p != MAP_FAILED && (uintptr_t)p % PAGE == 0);
    for (int i = 0; i < 16 * PAGE; i++)
        CHECK(p[i] == 0);
    memset(p, 1, 16 * PAGE);

    CHECK(mmap(p + 4 * PAGE, 4 * PAGE, RW, ANON | MAP_FIXED, -1, 0) == p + 4 * PAGE);
    CHECK(p[4 * PAGE - 1] == 1 && p[4 * PAGE] == 0 && p[8 * PAGE - 1] == 0 && p[8 * PAGE] == 1);

    CHECK(mmap(p, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED && errno == EEXIST);
    CHECK(munmap(p + 2 * PAGE, PAGE) == 0);
    char *q = mmap(p + 2 * PAGE, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(q == p + 2 * PAGE && q[0] == 0);

    q = mmap(p, PAGE, RW, ANON, -1, 0);              /* a hint that is taken */
    CHECK(q != MAP_FAILED && q != p);
    CHECK(munmap(q, PAGE) == 0);
    CHECK(munmap(p, 16 * PAGE) == 0);
    q = mmap(p, 16 * PAGE, RW, ANON | MAP_FIXED, -1, 0);
    CHECK(q == p && p[5] == 0);

    CHECK(mmap(NULL, 0, RW, ANON, -1, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(mmap(p + 1, PAGE, RW, ANON | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(mmap(NULL, PAGE, RW, MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
    CHECK(mmap(NULL, 1UL << 62, RW, ANON, -1, 0) == MAP_FAILED && errno == ENOMEM);
    CHECK(munmap(p + 1, PAGE) < 0 && errno == EINVAL);
    CHECK(munmap(p, 16 * PAGE) == 0 && munmap(p, 16 * PAGE) == 0);
    CHECK(msync(p, PAGE, MS_ASYNC) < 0 && errno == ENOMEM);
    return done();
}
