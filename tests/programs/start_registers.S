/* What the kernel promises at entry: rsp is 16-byte aligned and points to argc, argv ends with
 * NULL, and a program that relies on cleared registers (as old start-up code does) may.
 *
 * args: one two
 */
        .globl _start
        .text
_start: test $15, %spl
        jnz bad
        or %rax, %rbx
        or %rcx, %rbx
        or %rdx, %rbx
        or %rsi, %rbx
        or %rdi, %rbx
        or %rbp, %rbx
        or %r8, %rbx
        or %r9, %rbx
        or %r10, %rbx
        or %r12, %rbx
        or %r13, %rbx
        or %r14, %rbx
        or %r15, %rbx
        jnz bad
        cmpq $3, (%rsp)
        jne bad
        cmpq $0, 32(%rsp)               /* argv[3] */
        jne bad
        mov 16(%rsp), %rsi              /* argv[1] */
        cmpl $0x00656e6f, (%rsi)        /* "one" */
        jne bad
        lea good_text(%rip), %rsi
        mov $5, %edx
        xor %ebx, %ebx
        jmp say
bad:    lea bad_text(%rip), %rsi
        mov $4, %edx
        mov $1, %ebx
say:    mov $1, %eax
        mov $1, %edi
        syscall
        mov $60, %eax
        mov %ebx, %edi
        syscall
        .section .rodata
good_text: .ascii "done\n"
bad_text: .ascii "bad\n"
        .section .note.GNU-stack,"",@progbits
