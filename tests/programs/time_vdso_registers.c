/* Calls of the vDSO leave alone what the convention says, and in fact all vector registers, which
 * the kernel's functions do not use.
 *
 * variants: static
 * also: ownvdso=1
 */
#include "check.h"
#include <time.h>

static const uint64_t pattern = 0x0123456789abcdefull;

/* The function, called with known values in every register that it must keep, and in xmm0 to
 * xmm15; stores the latter, and returns a bit for each of the former that changed. */
unsigned call_with_registers(int (*f)(clockid_t, struct timespec *), clockid_t clock,
                             struct timespec *t, uint64_t out[32]);

__asm__(".text\n"
        ".globl call_with_registers\n"
        ".type call_with_registers, @function\n"
        "call_with_registers:\n"
        "    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "    push %rcx\n"
        "    mov %rdi, %rax\n"
        "    mov %esi, %edi\n"
        "    mov %rdx, %rsi\n"
        "    mov $0x1001, %ebx; mov $0x1002, %ebp; mov $0x1003, %r12d\n"
        "    mov $0x1004, %r13d; mov $0x1005, %r14d; mov $0x1006, %r15d\n"
        "    movabs $0x0123456789abcdef, %rcx\n"
        "    movq %rcx, %xmm0; punpcklqdq %xmm0, %xmm0\n"
        "    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "    movdqa %xmm0, %xmm\\n\n"
        "    .endr\n"
        "    fldpi\n"
        "    call *%rax\n"
        "    pop %rcx\n"
        "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "    movdqu %xmm\\n, \\n*16(%rcx)\n"
        "    .endr\n"
        "    fldpi\n"
        "    xor %edx, %edx\n"
        "    fcompp\n"
        "    fnstsw %ax\n"
        "    and $0x4500, %eax\n"
        "    cmp $0x4000, %eax; je 1f; or $64, %edx\n"
        "1:  cmp $0x1001, %rbx; je 1f; or $1, %edx\n"
        "1:  cmp $0x1002, %rbp; je 1f; or $2, %edx\n"
        "1:  cmp $0x1003, %r12; je 1f; or $4, %edx\n"
        "1:  cmp $0x1004, %r13; je 1f; or $8, %edx\n"
        "1:  cmp $0x1005, %r14; je 1f; or $16, %edx\n"
        "1:  cmp $0x1006, %r15; je 1f; or $32, %edx\n"
        "1:  mov %edx, %eax\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "    ret\n");

int main(void)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
                                       CLOCK_MONOTONIC_COARSE, CLOCK_THREAD_CPUTIME_ID};
    struct timespec t;
    uint64_t vectors[32];
    clock_gettime(CLOCK_REALTIME, &t); /* bound now: the dynamic linker may use anything */
    for (int i = 0; i < 2000; i++) {
        t.tv_nsec = -1;
        CHECK(call_with_registers(clock_gettime, clocks[i % 5], &t, vectors) == 0);
        CHECK(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
        for (int n = 0; n < 32; n++)
            CHECK(vectors[n] == pattern);
    }
    return done();
}
