/* An executable that is linked where the engine usually has its code cache.
 *
 * flags: -O1 -no-pie -fno-pie -Wl,-Ttext-segment=0x12000000
 */
#include "check.h"

static char zeros[40 << 20];

int main(void)
{
    CHECK((uintptr_t)main >> 24 == 0x12);
    memset(zeros + (20 << 20), 1, 5 << 20);
    CHECK(zeros[(20 << 20) - 1] == 0 && zeros[(25 << 20) - 1] == 1);
    return done();
}
