/* An executable at the usual fixed place whose bss covers most of what lies below 1 GiB.
 *
 * flags: -O1 -no-pie -fno-pie -mcmodel=medium
 * variants: static
 */
#include "check.h"

static char zeros[700 << 20];

int main(void)
{
    CHECK((uintptr_t)main < 0x1000000);
    for (size_t i = 0; i < sizeof zeros; i += 32 << 20)
        CHECK(zeros[i] == 0), zeros[i] = (char)(i >> 20);
    for (size_t i = 0; i < sizeof zeros; i += 32 << 20)
        CHECK(zeros[i] == (char)(i >> 20));
    char *heap = sbrk(1 << 20);
    CHECK(heap != (void *)-1);
    memset(heap, 1, 1 << 20);
    CHECK(malloc(100000) && malloc(1 << 24));
    return done();
}
