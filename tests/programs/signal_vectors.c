/* Vector and x87 state across signals: 256-bit registers where there are any.
 *
 * flags: -O1
 * settings: yes
 */
#include "check.h"
#include <immintrin.h>

static volatile int handled;

__attribute__((target("avx"))) static void spoil_avx(void)
{
    __asm__ volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n vinsertf128 $1, %%xmm0, %%ymm0, %%ymm0\n"
                     "vmovaps %%ymm0, %%ymm7\n vmovaps %%ymm0, %%ymm12\n vzeroupper"
                     : : : "xmm0", "xmm7", "xmm12");
}

static void on_signal(int sig)
{
    (void)sig;
    handled++;
    __asm__ volatile("fninit\n fldz\n fldz" : : : "memory");
    if (__builtin_cpu_supports("avx"))
        spoil_avx();
    __asm__ volatile("pxor %%xmm7, %%xmm7" : : : "xmm7");
}

__attribute__((target("avx"))) static void across_avx(void)
{
    uint64_t in[4] = {1, 2, 3, 4}, out[8] = {0};
    __asm__ volatile("vmovdqu (%0), %%ymm7\n vmovdqu (%0), %%ymm12\n"
                     "mov $39, %%eax\n syscall\n mov %%eax, %%edi\n mov $62, %%eax\n"
                     "mov $10, %%esi\n syscall\n"
                     "vmovdqu %%ymm7, (%1)\n vmovdqu %%ymm12, 32(%1)\n vzeroupper"
                     : : "r"(in), "r"(out)
                     : "rax", "rcx", "rdi", "rsi", "r11", "memory", "xmm7", "xmm12");
    CHECK(!memcmp(in, out, 32) && !memcmp(in, out + 4, 32));
}

static void across_x87(void)
{
    double out = 0, second = 0;
    __asm__ volatile("fninit\n fldpi\n fld1\n"
                     "mov $39, %%eax\n syscall\n mov %%eax, %%edi\n mov $62, %%eax\n"
                     "mov $10, %%esi\n syscall\n"
                     "fstpl %0\n fstpl %1"
                     : "=m"(out), "=m"(second) : : "rax", "rcx", "rdi", "rsi", "r11", "memory");
    CHECK(out == 1.0 && second > 3.14 && second < 3.15);
}

int main(void)
{
    signal(SIGUSR1, on_signal);         /* 10 above */
    for (int i = 0; i < 100; i++) {
        across_x87();
        if (__builtin_cpu_supports("avx"))
            across_avx();
    }
    CHECK(handled >= 100);
    return done();
}
