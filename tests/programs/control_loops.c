/* loop, loope, loopne, jrcxz, jecxz, all conditional jumps, setcc and cmovcc.
 *
 * variants: static
 * flags: -O0
 * settings: yes
 */
#include "check.h"

static long by_loop(long n)
{
    long sum = 0;
    __asm__ volatile("1: add %%rcx, %0\n loop 1b" : "+r"(sum), "+c"(n) : : "cc");
    return sum;
}

static long find_byte(const char *p, char want, long n)
{
    __asm__ volatile("dec %0\n 1: inc %0\n cmp %2, (%0)\n loopne 1b"
                     : "+r"(p), "+c"(n) : "q"(want) : "cc");
    return n;
}

static long same_prefix(const char *p, char want, long n)
{
    __asm__ volatile("dec %0\n 1: inc %0\n cmp %2, (%0)\n loope 1b"
                     : "+r"(p), "+c"(n) : "q"(want) : "cc");
    return n;
}

static int is_zero(unsigned long n)
{
    int r;
    __asm__ volatile("xor %0, %0\n jrcxz 1f\n inc %0\n 1:" : "=&r"(r) : "c"(n) : "cc");
    return !r;
}

static int is_zero32(unsigned long n)
{
    int r;
    __asm__ volatile("xor %0, %0\n jecxz 1f\n inc %0\n 1:" : "=&r"(r) : "c"(n) : "cc");
    return !r;
}

#define CONDITION(cc) {                                                                    \
        long jump, move = 0; unsigned char set;                                            \
        __asm__ volatile("mov $1, %0\n cmp %3, %4\n j" #cc " 1f\n mov $0, %0\n 1:"         \
                         : "=&r"(jump), "=&r"(move), "=&q"(set) : "r"(a), "r"(b) : "cc");  \
        __asm__ volatile("xor %0, %0\n cmp %3, %4\n set" #cc " %1\n cmov" #cc " %2, %0"    \
                         : "=&r"(move), "=&q"(set) : "r"(1L), "r"(a), "r"(b) : "cc");      \
        CHECK(jump == move && move == set);                                                \
        hash = hash * 31 + jump; }

int main(void)
{
    CHECK(by_loop(100) == 5050 && by_loop(70000) == 70000L * 70001 / 2);
    CHECK(find_byte("hello", 'l', 5) == 2 && same_prefix("aaab", 'a', 4) == 0);
    CHECK(is_zero(0) && !is_zero(1) && !is_zero(1UL << 32));
    CHECK(is_zero32(0) && !is_zero32(1) && is_zero32(1UL << 32));
    static const long values[] = {0, 1, -1, 5, INT64_MAX, INT64_MIN, 1L << 32, 0x80000000};
    unsigned hash = 0;
    for (int i = 0; i < 64; i++) {
        long a = values[i / 8], b = values[i % 8];
        CONDITION(o) CONDITION(no) CONDITION(b) CONDITION(ae) CONDITION(e) CONDITION(ne)
        CONDITION(be) CONDITION(a) CONDITION(s) CONDITION(ns) CONDITION(p) CONDITION(np)
        CONDITION(l) CONDITION(ge) CONDITION(le) CONDITION(g)
    }
    printf("%08x\n", hash);
    return done();
}
