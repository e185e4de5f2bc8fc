/* mremap over ranges that were mapped one by one, and which the kernel has made one. */
#include "check.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

static char *place(int count)
{
    char *p = mmap(NULL, (size_t)count * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    return p;
}

static void map_one(char *at, int protection)
{
    CHECK(mmap(at, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
}

static void moved(int first, int second)
{
    char *p = place(12), *to = place(12);
    for (int i = 0; i < 6; i++)
        map_one(p + (i * 5 % 6) * PAGE, i % 2 ? first : second); /* in some order */
    CHECK(mprotect(p, 6 * PAGE, PROT_READ | PROT_WRITE) == 0);
    for (int i = 0; i < 6; i++)
        p[i * PAGE] = (char)(i + 1);
    char *q = mremap(p, 6 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (q == to) {
        for (int i = 0; i < 6; i++)
            CHECK(q[i * PAGE] == i + 1);
        q[7 * PAGE] = 1;
        CHECK(munmap(q + 8 * PAGE, 4 * PAGE) == 0);
        char *r = mremap(q, 8 * PAGE, 10 * PAGE, 0);
        CHECK(r == q || errno == ENOMEM);
        r = mremap(q, 8 * PAGE, 3 * PAGE, 0);
        CHECK(r == q && q[2 * PAGE] == 3);
    } else {
        CHECK(q == MAP_FAILED && errno == EFAULT && p[5 * PAGE] == 6);
    }
    munmap(p, 12 * PAGE);
    munmap(to, 12 * PAGE);
}

/* Code that ran in between leaves the range one. */
static void with_code(void)
{
    char *p = place(8);
    CHECK(mprotect(p, 8 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    memset(p, 0xc3, 8 * PAGE);
    ((void (*)(void))(p + 3 * PAGE))();
    p[5 * PAGE] = 1;
    char *q = mremap(p, 8 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
    CHECK(q != MAP_FAILED && q[5 * PAGE] == 1);
    ((void (*)(void))(q + 3 * PAGE))();
    q[63 * PAGE] = 1;
    munmap(q, 64 * PAGE);
}

int main(void)
{
    moved(PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE);
    moved(PROT_READ, PROT_READ | PROT_WRITE);
    moved(PROT_NONE, PROT_READ | PROT_WRITE);
    with_code();
    return done();
}
