/* munmap of heads, tails and middles, checked with what the kernel thinks is mapped.
 *
 * variants: static
 */
#include "check.h"
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 64 };

static int mapped(char *page)
{
    unsigned char in;
    return mincore(page, PAGE, &in) == 0;
}

int main(void)
{
    char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    char there[PAGES];
    memset(there, 1, sizeof there);
    unsigned seed = 7;
    for (int round = 0; round < 40; round++) {
        seed = seed * 1103515245 + 12345;
        int from = (seed >> 16) % PAGES, count = (seed >> 8) % 5 + 1;
        if (from + count > PAGES)
            count = PAGES - from;
        if (round % 3) {
            CHECK(munmap(p + from * PAGE, count * PAGE) == 0);
            memset(there + from, 0, count);
        } else {
            CHECK(mmap(p + from * PAGE, count * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p + from * PAGE);
            memset(p + from * PAGE, round, count * PAGE);
            memset(there + from, 1, count);
        }
        for (int i = 0; i < PAGES; i++)
            CHECK(mapped(p + i * PAGE) == there[i]);
    }
    return done();
}
