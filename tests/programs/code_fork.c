/* Generated code and fork: parent and child change their copies without seeing the other's.
 */
#include "check.h"
#include <sys/mman.h>

static int call(void *page, int value)
{
    unsigned char *p = page;
    p[0] = 0xb8;
    memcpy(p + 1, &value, 4);
    p[5] = 0xc3;
    return ((int (*)(void))page)();
}

int main(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    CHECK(call(page, 5) == 5);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            int before = ((int (*)(void))page)();
            _exit(before == (i ? 100 + i - 1 : 5) && call(page, 200 + i) == 200 + i ? 0 : 1);
        }
        CHECK(call(page, 100 + i) == 100 + i);
        CHECK(check_wait(child) == 0);
        CHECK(((int (*)(void))page)() == 100 + i);
    }
    return done();
}
