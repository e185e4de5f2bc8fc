/* Where kernel threads begin. */

    .text

/* engine_clone(rdi flags, rsi stack_top, rdx parent_tid, rcx child_tid, r8 tls, r9 begin)
 *
 * The child has nothing on its stack to return to: it calls `begin`, which does not
 * return.  The kernel keeps all registers but rax, rcx and r11. */
    .globl engine_clone
    .hidden engine_clone
    .type engine_clone, @function
engine_clone:
    mov %rcx, %r10
    mov $56, %eax                   /* clone */
    syscall
    test %rax, %rax
    jz 1f
    ret
1:  xor %ebp, %ebp
    call *%r9
    ud2

    .section .note.GNU-stack, "", @progbits
