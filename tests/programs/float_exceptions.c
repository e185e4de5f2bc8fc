/* Floating-point exceptions: sticky flags, and SIGFPE with its code when unmasked.
 *
 * variants: static
 * libs: -lm
 */
#include "check.h"
#include <fenv.h>
#include <math.h>
#include <setjmp.h>

static sigjmp_buf back;
static volatile int code;

static void on_fpe(int sig, siginfo_t *info, void *context)
{
    (void)context;
    code = info->si_code;
    siglongjmp(back, sig);
}

static int trapped(int except, double a, double b)
{
    volatile double x = a, y = b, z;
    fenv_t kept;
    fegetenv(&kept);
    feclearexcept(FE_ALL_EXCEPT);
    int got = sigsetjmp(back, 1);
    if (got == 0) {
        feenableexcept(except);
        z = x / y;
        z = z * 1e300 * 1e300;
        (void)z;
    }
    fesetenv(&kept);
    return got ? code : 0;
}

static int trapped_x87(void)
{
    volatile long double x = 1, y = 0, z;
    int got = sigsetjmp(back, 1);
    if (got == 0) {
        feenableexcept(FE_DIVBYZERO);
        z = x / y;
        __asm__ volatile("fwait");
        (void)z;
    }
    fesetenv(FE_DFL_ENV);
    return got ? code : 0;
}

int main(void)
{
    volatile double one = 1, zero = 0, big = 1e308, r;
    feclearexcept(FE_ALL_EXCEPT);
    r = one / zero;
    CHECK(isinf(r) && fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO);
    feclearexcept(FE_ALL_EXCEPT);
    r = zero / zero;
    CHECK(isnan(r) && fetestexcept(FE_ALL_EXCEPT) == FE_INVALID);
    feclearexcept(FE_ALL_EXCEPT);
    r = big * big;
    CHECK(fetestexcept(FE_ALL_EXCEPT) == (FE_OVERFLOW | FE_INEXACT));
    feclearexcept(FE_ALL_EXCEPT);
    CHECK(fesetround(FE_UPWARD) == 0 && fegetround() == FE_UPWARD);
    CHECK(rint(0.1) == 1 && fesetround(FE_TONEAREST) == 0 && rint(0.5) == 0);

    struct sigaction action = {.sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGFPE, &action, NULL) == 0);
    for (int i = 0; i < 10; i++) {
        CHECK(trapped(FE_DIVBYZERO, 1, 0) == FPE_FLTDIV);
        CHECK(trapped(FE_INVALID, 0, 0) == FPE_FLTINV);
        CHECK(trapped(FE_OVERFLOW, 1, 1e-9) == FPE_FLTOVF);
        CHECK(trapped(FE_INEXACT, 1, 3) == FPE_FLTRES);
        CHECK(trapped_x87() == FPE_FLTDIV);
    }
    return done();
}
