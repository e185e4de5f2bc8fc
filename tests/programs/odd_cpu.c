/* Instructions that ask the machine: cpuid, xgetbv, rdtsc, rdtscp, rdrand.
 *
 * settings: yes
 */
#include "check.h"
#include <cpuid.h>
#include <x86intrin.h>

static unsigned long kept_registers(void)
{
    unsigned long bad = 1;
    __asm__ volatile("mov $7, %%r8\n mov $8, %%r9\n mov $9, %%r15\n xor %%eax, %%eax\n cpuid\n"
                     "rdtsc\n xor %0, %0\n cmp $7, %%r8\n setne %b0\n cmp $8, %%r9\n jne 1f\n"
                     "cmp $9, %%r15\n je 2f\n 1: inc %0\n 2:"
                     : "=&S"(bad) : : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r15", "cc");
    return bad;
}

int main(void)
{
    unsigned a, b, c, d, top, aux;
    CHECK(__get_cpuid(0, &top, &b, &c, &d) && top >= 1);
    char vendor[13] = "";
    memcpy(vendor, &b, 4), memcpy(vendor + 4, &d, 4), memcpy(vendor + 8, &c, 4);
    CHECK(strlen(vendor) == 12);
    CHECK(__get_cpuid(1, &a, &b, &c, &d) && (d & bit_SSE2) && (d & bit_CMOV));
    if (c & bit_OSXSAVE) {
        unsigned low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        CHECK((low & 3) == 3);
        if (c & bit_AVX)
            CHECK((low & 7) == 7 || !__builtin_cpu_supports("avx"));
    }
    unsigned long before = __rdtsc();
    for (int i = 0; i < 1000; i++) {
        unsigned long now = i % 2 ? __rdtsc() : __rdtscp(&aux);
        CHECK(now + 1000000 >= before);              /* two processors may differ a little */
        before = now;
    }
    if (c & bit_RDRND) {
        unsigned long value, any = 0;
        unsigned char ok, all = 1;
        for (int i = 0; i < 8; i++) {
            int tries = 0;
            do
                __asm__ volatile("rdrand %0\n setc %1" : "=r"(value), "=q"(ok) : : "cc");
            while (!ok && ++tries < 100);
            any |= value;
            all &= ok;
        }
        CHECK(any != 0 && all);
    }
    CHECK(kept_registers() == 0);
    return done();
}
