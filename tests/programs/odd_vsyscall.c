/* The old vsyscall page at its fixed address: calls there work, or fault as where the kernel has
 * none.
 */
#include "check.h"
#include <setjmp.h>
#include <sys/time.h>
#include <time.h>

static sigjmp_buf back;

static void on_fault(int sig)
{
    siglongjmp(back, sig);
}

int main(void)
{
    int (*old_gettimeofday)(struct timeval *, void *) = (void *)0xffffffffff600000;
    time_t (*old_time)(time_t *) = (void *)0xffffffffff600400;
    struct timeval tv = {0, 0};
    signal(SIGSEGV, on_fault);
    time_t before = time(NULL);
    for (volatile int i = 0; i < 20; i++) {
        if (sigsetjmp(back, 1) != 0)
            continue;
        CHECK(old_gettimeofday(&tv, NULL) == 0 && tv.tv_sec + 1 >= before);
        CHECK(old_time(NULL) + 1 >= before);
    }
    return done();
}
