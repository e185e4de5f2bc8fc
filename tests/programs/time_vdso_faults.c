/* A bad pointer given to a vDSO function: a fault with the right address, where the clock is read
 * without the kernel's help; the handler can go on, and can unwind to who called.
 *
 * flags: -O1 -fno-optimize-sibling-calls -rdynamic
 * libs: -ldl
 * also: ownvdso=1
 */
#include "check.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static sigjmp_buf again;
static void *volatile faulted;
static volatile int named, code;

/* Is main on the stack, and what was in between? */
__attribute__((noinline)) static int known_frames(void)
{
    void *frames[64];
    int count = backtrace(frames, 64), known = 0;
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr(frames[i], &info) && info.dli_sname)
            known += !strcmp(info.dli_sname, "main") || !strcmp(info.dli_sname, "caller");
    }
    return known;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    faulted = info->si_addr;
    code = info->si_code;
    named = known_frames();
    siglongjmp(again, 1);
}

__attribute__((noinline)) int caller(clockid_t clock, void *at)
{
    return clock_gettime(clock, at) + 0 * getpid();
}

__attribute__((noinline)) int caller_of_day(void *at)
{
    return gettimeofday(at, NULL) + 0 * getpid();
}

/* 1: it faulted. */
static int faults(clockid_t clock, void *at)
{
    faulted = (void *)1;
    if (sigsetjmp(again, 1))
        return 1;
    caller(clock, at);
    return 0;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page + 4096, 4096, PROT_NONE);
    for (int i = 0; i < 20; i++) {
        CHECK(faults(CLOCK_MONOTONIC, NULL) && faulted == NULL && code == SEGV_MAPERR);
        CHECK(named == 2);
        CHECK(faults(CLOCK_REALTIME, page + 4096) && faulted == page + 4096 && code == SEGV_ACCERR);
        CHECK(!faults(CLOCK_MONOTONIC, page + 4080));
    }
    CHECK(faults(CLOCK_MONOTONIC, page + 4088) && faulted == page + 4096);
    if (!sigsetjmp(again, 1)) {
        caller_of_day(page + 4096);
        CHECK(!"it went on");
    }
    CHECK(faulted == page + 4096);
    errno = 0;
    CHECK(caller(CLOCK_PROCESS_CPUTIME_ID, page + 4096) == -1 && errno == EFAULT);
    return done();
}
