/* The ordinary hello world, in every way an executable can be linked.
 *
 * variants: static staticpie nopie musl muslstatic
 * settings: yes
 */
#include "check.h"

int main(void)
{
    printf("hello, %s %d %.3f\n", "world", 42, 1.5);
    return done();
}
