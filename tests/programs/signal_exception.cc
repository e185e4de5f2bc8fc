/* A C++ exception thrown in a signal handler, through the signal frame into the code that
 * faulted (compiled so that any instruction may throw).
 *
 * flags: -O1 -fnon-call-exceptions
 * variants: static
 */
#include "check.h"

struct Fault {
    int sig;
};

static int destroyed;

struct Guard {
    ~Guard() { destroyed++; }
};

static void on_fault(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    throw Fault{sig};
}

__attribute__((noinline)) static int load(volatile int *p)
{
    Guard guard;
    return *p;
}

__attribute__((noinline)) static int divide(int a, int b)
{
    Guard guard;
    return a / b;
}

int main()
{
    signal(SIGSEGV, on_fault);
    signal(SIGFPE, on_fault);
    volatile int zero = 0;
    for (int i = 0; i < 50; i++) {
        int caught = 0;
        try {
            load((volatile int *)(uintptr_t)(zero + 8));
        } catch (const Fault &f) {
            caught = f.sig;
        }
        CHECK(caught == SIGSEGV);
        try {
            divide(5, zero);
        } catch (const Fault &f) {
            caught = f.sig;
        }
        CHECK(caught == SIGFPE);
    }
    CHECK(destroyed == 100);
    return done();
}
