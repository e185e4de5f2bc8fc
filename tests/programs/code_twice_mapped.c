/* Code mapped twice, as some JITs do: written through one address, run at another.
 *
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>

int main(void)
{
    int fd = memfd_create("code", 0);
    CHECK(fd >= 0 && ftruncate(fd, 8192) == 0);
    unsigned char *w = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    unsigned char *x = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(w != MAP_FAILED && x != MAP_FAILED);
    for (int i = 0; i < 500; i++) {
        int at = i % 50 * 16;
        w[at] = 0xb8;
        memcpy(w + at + 1, &i, 4);
        w[at + 5] = 0xc3;
        CHECK(((int (*)(void))(x + at))() == i);
    }
    unsigned char code[] = {0xb8, 1, 2, 3, 4, 0xc3};
    CHECK(pwrite(fd, code, 6, 0) == 6);              /* and through the file */
    CHECK(((int (*)(void))x)() == 0x04030201);
    code[1] = 9;
    CHECK(pwrite(fd, code, 6, 0) == 6);
    CHECK(((int (*)(void))x)() == 0x04030209);
    return done();
}
