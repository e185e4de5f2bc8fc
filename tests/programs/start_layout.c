/* An executable with an unusual layout: its own base, code and data in one segment, a large
 * bss that begins in the middle of a page.
 *
 * flags: -O1 -no-pie -fno-pie -Wl,-Ttext-segment=0x50000000 -Wl,-z,noseparate-code -Wl,-z,norelro
 */
#include "check.h"

static char zeros[40 << 20];
static char data[5001] = {1, 2, 3};

int main(void)
{
    CHECK((uintptr_t)main >> 24 == 0x50);
    CHECK(data[2] == 3 && data[5000] == 0);
    for (size_t i = 0; i < sizeof zeros; i += 1001)
        CHECK(zeros[i] == 0);
    memset(zeros + (20 << 20), 1, 5 << 20);
    CHECK(zeros[(20 << 20) - 1] == 0 && zeros[(25 << 20) - 1] == 1);
    return done();
}
