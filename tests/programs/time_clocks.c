/* Clocks go forward and agree with each other; sleeps last at least as long as asked.
 *
 * variants: static muslstatic
 * also: ownvdso=1
 */
#include "check.h"
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

static int64_t now(clockid_t clock)
{
    struct timespec t;
    CHECK(clock_gettime(clock, &t) == 0 && t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int64_t now_by_call(clockid_t clock)
{
    struct timespec t;
    CHECK(syscall(SYS_clock_gettime, clock, &t) == 0);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
    int64_t before = now(CLOCK_MONOTONIC);
    for (int i = 0; i < 2000; i++) {
        int64_t next = i % 2 ? now(CLOCK_MONOTONIC) : now_by_call(CLOCK_MONOTONIC);
        CHECK(next >= before);
        before = next;
    }
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW,
                                       CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
                                       CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    for (int i = 0; i < 7; i++)
        CHECK(now(clocks[i]) > 0);
    struct timespec t;
    CHECK(clock_gettime(9999, &t) < 0 && errno == EINVAL);
    CHECK(clock_getres(CLOCK_MONOTONIC, &t) == 0 && t.tv_sec == 0);
    struct timeval tv;
    time_t a = time(NULL);
    CHECK(gettimeofday(&tv, NULL) == 0);
    time_t b = time(NULL);
    CHECK(a > 1600000000 && tv.tv_sec + 1 >= a && b + 1 >= tv.tv_sec);

    int64_t start = now(CLOCK_MONOTONIC);
    CHECK(nanosleep(&(struct timespec){0, 3000000}, NULL) == 0 && usleep(1000) == 0);
    CHECK(now(CLOCK_MONOTONIC) - start >= 4000000);
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 2000000;
    if (t.tv_nsec >= 1000000000)
        t.tv_sec++, t.tv_nsec -= 1000000000;
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0);
    CHECK(now(CLOCK_MONOTONIC) >= t.tv_sec * 1000000000L + t.tv_nsec);
    CHECK(nanosleep(&(struct timespec){0, -1}, NULL) < 0 && errno == EINVAL);

    int64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    volatile unsigned x = 0;
    while (now(CLOCK_PROCESS_CPUTIME_ID) - cpu < 2000000)
        x++;
    time_t zero = 86400;
    struct tm *tm = gmtime(&zero);
    CHECK(tm->tm_year == 70 && tm->tm_mday == 2 && mktime(localtime(&zero)) == zero);
    return done();
}
