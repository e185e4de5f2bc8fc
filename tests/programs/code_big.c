/* More code than a small cache holds: thousands of generated functions, called round and round.
 *
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>

enum { FUNCTIONS = 8000, SIZE = 64 };

int main(void)
{
    unsigned char *room = mmap(NULL, FUNCTIONS * SIZE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(room != MAP_FAILED);
    for (int i = 0; i < FUNCTIONS; i++) {
        unsigned char *p = room + i * SIZE;
        memcpy(p, "\x8d\x87", 2);                    /* lea i(%rdi), %eax */
        memcpy(p + 2, &i, 4);
        memcpy(p + 6, "\xa8\x01\x74\x02\xff\xc0", 6); /* test $1, %al; jz +2; inc %eax */
        memcpy(p + 12, "\x40\xf6\xc7\x02\x75\x01\xc3\xff\xc0\xc3", 10); /* one more if rdi & 2 */
    }
    CHECK(mprotect(room, FUNCTIONS * SIZE, PROT_READ | PROT_EXEC) == 0);
    unsigned hash = 0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < FUNCTIONS; i++) {
            int want = (i + round) + ((i + round) & 1) + (round >> 1 & 1);
            int got = ((int (*)(int))(room + i * SIZE))(round);
            CHECK(got == want);
            hash = hash * 31 + got;
        }
    }
    printf("%08x\n", hash);
    return done();
}
