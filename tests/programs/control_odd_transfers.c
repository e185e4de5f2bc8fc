/* Transfers that compilers seldom emit: ret with an immediate, push and ret, call to the next
 * instruction, jumps and calls through memory, through the stack, and relative to rsp.
 *
 * variants: static nopie
 * settings: yes
 */
#include "check.h"

long ret_imm(long a), push_ret(long a), get_pc(void), jmp_memory(long a), call_stack(long a);
long jmp_stack(long a), call_rsp(long a), retpoline(long a), change_return(long a);
long pop_jump(long a), call_16(long a), xchg_ret(long a);

__asm__(".text\n"
        "1: lea 5(%rdi), %rax\n ret $16\n"
        "ret_imm: push %rbp\n mov %rsp, %rbp\n push $7\n push $8\n call 1b\n"
        "   cmp %rbp, %rsp\n je 2f\n ud2\n 2: pop %rbp\n ret\n"
        "push_ret: lea 3f(%rip), %rax\n push %rax\n lea 6(%rdi), %rax\n ret\n"
        "3: inc %rax\n ret\n"
        "get_pc: call 4f\n 4: pop %rax\n lea 4b(%rip), %rcx\n sub %rcx, %rax\n ret\n"
        "jmp_memory: jmp *5f(%rip)\n"
        "6: lea 8(%rdi), %rax\n ret\n"
        ".data\n .balign 8\n 5: .quad 6b\n .text\n"
        "call_stack: lea 6b(%rip), %rax\n push %rax\n call *(%rsp)\n pop %rcx\n ret\n"
        "jmp_stack: lea 6b(%rip), %rax\n push %rax\n mov %rsp, %rcx\n add $8, %rsp\n"
        "   jmp *(%rcx)\n"
        "call_rsp: lea 6b(%rip), %rax\n push %rax\n push $0\n call *8(%rsp)\n add $16, %rsp\n ret\n"
        "retpoline: lea 6b(%rip), %rax\n call 8f\n 7: pause\n lfence\n jmp 7b\n"
        "8: mov %rax, (%rsp)\n ret\n"
        "9: addq $3, (%rsp)\n lea 9(%rdi), %rax\n ret\n"
        "change_return: call 9b\n .byte 0x0f, 0x0b, 0x90\n inc %rax\n ret\n"
        "pop_jump: pop %rcx\n lea 2(%rdi), %rax\n jmp *%rcx\n"
        "call_16: lea 6b(%rip), %r11\n call *%r11\n add $10, %rax\n ret\n"
        "xchg_ret: lea 6b(%rip), %rax\n xchg %rax, (%rsp)\n push %rax\n pop %rdx\n"
        "   xchg %rdx, (%rsp)\n push %rdx\n pop %rcx\n call *%rcx\n ret\n");

int main(void)
{
    for (long i = 0; i < 300; i++) {
        CHECK(ret_imm(i) == i + 5);
        CHECK(push_ret(i) == i + 7);
        CHECK(get_pc() == 0);
        CHECK(jmp_memory(i) == i + 8);
        CHECK(call_stack(i) == i + 8);
        CHECK(jmp_stack(i) == i + 8);
        CHECK(call_rsp(i) == i + 8);
        CHECK(retpoline(i) == i + 8);
        CHECK(change_return(i) == i + 10);
        CHECK(pop_jump(i) == i + 2);
        CHECK(call_16(i) == i + 18);
        CHECK(xchg_ret(i) == i + 8);
    }
    return done();
}
