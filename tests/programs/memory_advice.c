/* madvise, mincore, mlock and friends.
 */
#include "check.h"
#include <sys/mman.h>

enum { PAGE = 4096 };

int main(void)
{
    unsigned char in[8];
    char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    memset(p, 5, 8 * PAGE);
    CHECK(mincore(p, 8 * PAGE, in) == 0);
    for (int i = 0; i < 8; i++)
        CHECK(in[i] & 1);
    CHECK(madvise(p + PAGE, 2 * PAGE, MADV_DONTNEED) == 0);
    CHECK(p[0] == 5 && p[PAGE] == 0 && p[3 * PAGE - 1] == 0 && p[3 * PAGE] == 5);
    CHECK(madvise(p, 8 * PAGE, MADV_WILLNEED) == 0);
    CHECK(madvise(p + 1, PAGE, MADV_DONTNEED) < 0 && errno == EINVAL);
    CHECK(madvise(p, PAGE, 9999) < 0 && errno == EINVAL);
    if (mlock(p, PAGE) == 0)
        CHECK(munlock(p, PAGE) == 0);
    CHECK(madvise(p, PAGE, MADV_DONTFORK) == 0);
    p[0] = 6;
    pid_t child = fork();
    if (child == 0) {
        CHECK(mincore(p, PAGE, in) < 0 && errno == ENOMEM);
        CHECK(p[3 * PAGE] == 5);
        _exit(0);
    }
    CHECK(check_wait(child) == 0 && p[0] == 6);
    return done();
}
