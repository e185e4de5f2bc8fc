/* The exit status is the guest's, all eight bits of it.
 *
 * variants: muslstatic
 * args: 0 | 1 | 37 | 126 | 127 | 139 | 255 | 256
 */
#include "check.h"

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    done();
    return atoi(argv[1]);
}
