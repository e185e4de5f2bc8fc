/* Code that changes itself: the next instruction, an instruction of the same block, one that a
 * loop comes to again.
 *
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>

long patch_next(long value), patch_loop(long count);
extern char code_start[], code_end[];

__asm__(".text\n .balign 4096\n code_start:\n"
        "patch_next: mov %edi, 1f+1(%rip)\n 1: mov $0x11223344, %eax\n ret\n"
        "patch_loop: xor %eax, %eax\n"
        "2: add $1, %rax\n 3: nop\n incb 2b+3(%rip)\n dec %rdi\n jnz 2b\n ret\n"
        "code_end: .balign 4096\n");

int main(void)
{
    CHECK(mprotect(code_start, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    for (int i = 0; i < 300; i++)
        CHECK(patch_next(i) == i);
    CHECK(patch_loop(10) == 55);                     /* 1 + 2 + ... + 10 */
    CHECK(patch_loop(5) == 11 + 12 + 13 + 14 + 15);
    return done();
}
