/* Jumps into the middle of an instruction: the same bytes decoded two ways.
 *
 * settings: yes
 */
#include "check.h"

long overlap(long way);

__asm__(".text\n"
        "overlap: xor %eax, %eax\n test %rdi, %rdi\n jnz 1f + 1\n"
        "1: .byte 0xb8\n"                             /* mov $0x9090c3.., %eax, or: */
        "   .byte 0xb0, 0x21, 0x90, 0xc3\n"           /* mov $0x21, %al; nop; ret */
        "   add $1, %eax\n ret\n");

int main(void)
{
    for (int i = 0; i < 200; i++) {
        CHECK(overlap(0) == 0xc39021b1L);
        CHECK(overlap(1) == 0x21);
    }
    return done();
}
