/* MAP_GROWSDOWN and a thread-like stack: memory below appears when touched.
 */
#include "check.h"
#include <sys/mman.h>

int main(void)
{
    /* Room first, so that nothing lies in the way of the growth. */
    char *room = mmap(NULL, 8 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(room != MAP_FAILED && munmap(room, 8 << 20) == 0);
    char *top = room + (8 << 20);
    char *p = mmap(top - 4096, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
    CHECK(p == top - 4096);
    for (int page = 1; page < 64; page++) {
        volatile char *at = top - page * 4096L;
        at[8] = page;
        CHECK(at[8] == page);
    }
    return done();
}
