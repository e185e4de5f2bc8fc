/* x87: long double arithmetic, functions, the stack, control word and comparison.
 *
 * variants: static muslstatic
 * libs: -lm
 * settings: yes
 */
#include "check.h"
#include <math.h>

static int stack_depth(void)
{
    unsigned short status;
    __asm__ volatile("fninit\n fld1\n fldpi\n fldz\n fnstsw %0" : "=m"(status));
    __asm__ volatile("fninit");
    return (8 - (status >> 11 & 7)) & 7;
}

int main(void)
{
    volatile long double x = 1, sum = 0;
    for (int i = 1; i < 2000; i++) {
        x = x * 1.0000001L + 1.0L / i;
        sum += sinl(x) * sqrtl(i) - logl(x) / expl(1.0L / i);
    }
    printf("%.15Lg %.15Lg\n", x, sum);
    printf("%La %La\n", 1.0L / 3, powl(2, 0.5L));
    CHECK(stack_depth() == 3);
    CHECK(isnan(0.0L / (x - x)) && isinf(1.0L / (x - x)));
    unsigned short control = 0, single = 0x007f;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    CHECK(control == 0x37f);
    volatile long double third;
    __asm__ volatile("fldcw %1\n fld1\n fadds %3\n fdivrs %3\n fstpt %0\n fldcw %2"
                     : "=m"(third) : "m"(single), "m"(control), "m"((float){2.0f}) : "memory");
    CHECK(third == (long double)(2.0f / 3.0f));
    CHECK((long long)9007199254740993.0L == 9007199254740993LL);
    CHECK(llrintl(2.5L) == 2 && lroundl(2.5L) == 3);
    double back;
    long long whole = -77;
    __asm__ volatile("fildll %1\n fabs\n fstpl %0" : "=m"(back) : "m"(whole));
    CHECK(back == 77.0);
    char environment[28], bcd[10];
    __asm__ volatile("fldpi\n fbstp %0\n fnstenv %1\n fldenv %1" : "=m"(bcd), "=m"(environment));
    CHECK(bcd[0] == 3 && bcd[9] == 0);
    return done();
}
