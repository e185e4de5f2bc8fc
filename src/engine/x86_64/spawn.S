/* Where kernel threads begin and end. */

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

/* engine_leave(rdi word, esi wake bits, edx status)
 *
 * From the increment on the stack under us may be somebody else's. */
    .globl engine_leave
    .hidden engine_leave
    .type engine_leave, @function
engine_leave:
    mov %edx, %ebx
    mov %esi, %r9d
    xor %r10d, %r10d
    xor %r8d, %r8d
    mov $138, %esi                  /* FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG */
    mov $0x7fffffff, %edx
    lock incl (%rdi)
    mov $202, %eax                  /* futex */
    syscall
1:  mov %ebx, %edi
    mov $60, %eax                   /* exit */
    syscall
    jmp 1b

    .section .note.GNU-stack, "", @progbits
