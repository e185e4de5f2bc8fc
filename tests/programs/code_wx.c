/* W^X: writable, then executable, never both; and what faults in between.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf back;

static void on_fault(int sig)
{
    siglongjmp(back, sig);
}

int main(void)
{
    signal(SIGSEGV, on_fault);
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                               -1, 0);
    CHECK(page != MAP_FAILED);
    int (*function)(void) = (int (*)(void))page;
    for (volatile int i = 0; i < 200; i++) {
        int value = i;
        CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
        page[0] = 0xb8;
        memcpy(page + 1, &value, 4);
        page[5] = 0xc3;
        if (sigsetjmp(back, 1) == 0) {
            function();
            CHECK(!"ran what is not executable");
        }
        CHECK(mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
        CHECK(function() == i);
        if (sigsetjmp(back, 1) == 0) {
            *(volatile unsigned char *)page = 0;
            CHECK(!"wrote what is not writable");
        }
        CHECK(function() == i);
    }
    return done();
}
