/* Flags live across jumps, calls, loops and system calls, as hand-written code relies on.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"

unsigned long add_chain(const unsigned long *a, const unsigned long *b, unsigned long *to, long n);
unsigned long flags_over_call(void), flags_over_syscall(void), flags_over_backward(void);
unsigned long flags_over_indirect(void);

__asm__(".text\n"
        "add_chain: xor %eax, %eax\n"                /* carry kept by lea, dec, jnz */
        "1: mov (%rdi), %r8\n adc (%rsi), %r8\n mov %r8, (%rdx)\n"
        "   lea 8(%rdi), %rdi\n lea 8(%rsi), %rsi\n lea 8(%rdx), %rdx\n"
        "   dec %rcx\n jnz 1b\n setc %al\n ret\n"
        "2: ret\n"
        "3: stc\n ret\n"
        "flags_over_call: stc\n call 2b\n sbb %rax, %rax\n clc\n call 3b\n sbb $0, %rax\n ret\n"
        "flags_over_syscall: mov $39, %eax\n xor %ecx, %ecx\n sub $1, %ecx\n syscall\n"
        "   pushf\n pop %rax\n and $0x8d5, %eax\n ret\n"
        "flags_over_backward: mov $3, %ecx\n stc\n jmp 5f\n"
        "4: sbb %rax, %rax\n ret\n .skip 64, 0x90\n"
        "5: jmp 4b\n"
        "flags_over_indirect: lea 6f(%rip), %rdx\n stc\n jmp *%rdx\n ud2\n"
        "6: sbb %rax, %rax\n lea 7f(%rip), %rdx\n cmp %rax, %rax\n push %rdx\n ret\n ud2\n"
        "7: jne 8f\n dec %rax\n 8: ret\n");

int main(void)
{
    unsigned long a[64], b[64], sum[64];
    for (int i = 0; i < 64; i++) {
        a[i] = ~0UL - (i % 3 == 0);
        b[i] = i == 0 ? 5 : i % 5 == 0;
    }
    unsigned long carry = add_chain(a, b, sum, 64), hash = 0;
    unsigned __int128 wanted = 0;
    for (int i = 0; i < 64; i++) {
        wanted += (unsigned __int128)a[i] + b[i];
        CHECK(sum[i] == (unsigned long)wanted);
        wanted >>= 64;
        hash = hash * 31 + sum[i];
    }
    CHECK(carry == (unsigned long)wanted);
    printf("%016lx\n", hash);
    for (int i = 0; i < 50; i++) {
        CHECK(flags_over_call() == -2UL);
        CHECK(flags_over_syscall() == 0x95);    /* CF, PF, AF, SF of 0 - 1 */
        CHECK(flags_over_backward() == -1UL);
        CHECK(flags_over_indirect() == -2UL);
    }
    return done();
}
