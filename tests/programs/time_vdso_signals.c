/* Signals while a program does nothing but ask the clock: handlers run, clocks never go back, and a
 * handler can unwind out of the clock to main.
 *
 * flags: -O1 -fno-optimize-sibling-calls -rdynamic
 * libs: -ldl
 * also: ownvdso=1
 */
#include "check.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/time.h>
#include <time.h>

static volatile int handled, lost;
static volatile int64_t in_handler;

static int64_t now(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0 && t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int reaches_main(void)
{
    void *frames[64];
    int count = backtrace(frames, 64);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr(frames[i], &info) && info.dli_sname && !strcmp(info.dli_sname, "main"))
            return 1;
    }
    return 0;
}

static void on_alarm(int sig)
{
    (void)sig;
    lost += !reaches_main();
    in_handler = now();
    handled++;
}

int main(void)
{
    void *warm[4];
    backtrace(warm, 4); /* it loads a library at first */
    signal(SIGALRM, on_alarm);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, NULL);
    int64_t before = now();
    while (handled < 100) {
        int64_t next = now();
        CHECK(next >= before);
        before = next;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0}}, NULL);
    CHECK(now() >= in_handler && lost == 0);
    return done();
}
