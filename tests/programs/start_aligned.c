/* A PIE with segments aligned to 2 MiB.
 *
 * flags: -O1 -fpie -pie -Wl,-z,max-page-size=0x200000 -Wl,-z,common-page-size=0x200000
 */
#include "check.h"

static char big[3 << 20] __attribute__((aligned(2 << 20))) = {1};

int main(void)
{
    CHECK((uintptr_t)big % (2 << 20) == 0 && big[0] == 1 && big[sizeof big - 1] == 0);
    return done();
}
