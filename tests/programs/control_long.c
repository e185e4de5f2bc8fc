/* Long straight lines, far jumps within them, and more functions than any small table holds.
 *
 * variants: nopie
 * settings: yes
 */
#include "check.h"

long straight(long x), far_jumps(long x);

__asm__(".text\n"
        "straight: mov %rdi, %rax\n .rept 3000\n add $3, %rax\n xor %rdi, %rax\n .endr\n ret\n"
        "far_jumps: mov %rdi, %rax\n test $1, %al\n jnz 2f\n jmp 3f\n"
        ".skip 200000, 0x90\n"
        "2: add $10, %rax\n ret\n"
        ".skip 200000, 0x90\n"
        "3: inc %rax\n jmp 2b\n");

#define ONE(n) __attribute__((noinline)) static long f##n(long x) { return x * (n + 3) + n; }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) \
    ONE(n##8) ONE(n##9)
#define NAME(n) f##n,
#define NAMES(n) NAME(n##0) NAME(n##1) NAME(n##2) NAME(n##3) NAME(n##4) NAME(n##5) NAME(n##6) \
    NAME(n##7) NAME(n##8) NAME(n##9)
#define HUNDRED(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) \
    X(n##9)

HUNDRED(TEN, 1) HUNDRED(TEN, 2) HUNDRED(TEN, 3)
static long (*const functions[])(long) = {
    HUNDRED(NAMES, 1) HUNDRED(NAMES, 2) HUNDRED(NAMES, 3)
};

int main(void)
{
    long want = 5, x = 1;
    for (int i = 0; i < 3000; i++)
        want = (want + 3) ^ 5;
    for (int i = 0; i < 3; i++)
        CHECK(straight(5) == want);
    for (int i = 0; i < 100; i++)
        CHECK(far_jumps(i) == i + 10 + (i % 2 == 0));
    int count = sizeof functions / sizeof *functions;
    for (int i = 0; i < 30000; i++)
        x = functions[i * 7 % count](x);
    printf("%d %016lx\n", count, x);
    return done();
}
