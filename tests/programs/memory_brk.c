/* brk grows and shrinks; memory that comes back is zero.
 *
 * variants: static
 */
#include "check.h"
#include <sys/syscall.h>

static char *raw_brk(char *to)
{
    return (char *)syscall(SYS_brk, to);
}

int main(void)
{
    char *start = raw_brk(NULL);
    CHECK(start && raw_brk(NULL) == start);
    char *end = start + 10 * 4096 + 123;
    CHECK(raw_brk(end) == end && raw_brk(NULL) == end);
    memset(start, 7, end - start);
    CHECK(raw_brk(start) == start);
    CHECK(raw_brk(end) == end);
    char *page = (char *)(((uintptr_t)start + 4095) & -4096L);
    for (char *p = page; p < end; p++)
        CHECK(*p == 0);
    CHECK(raw_brk((char *)1) == end);                /* refused: the old break is told */
    CHECK(raw_brk((char *)(1L << 62)) == end);
    CHECK(raw_brk(start) == start);
    for (int i = 1; i <= 200; i++) {
        char *p = sbrk(50000);
        CHECK(p != (char *)-1);
        memset(p, i, 50000);
    }
    CHECK(sbrk(-200 * 50000) != (void *)-1 && sbrk(0) == start);
    return done();
}
