/* A loop, a call and a return without libc: the first control flow an engine must get right.
 *
 * settings: yes
 */
        .globl _start
        .text
add:    add %rdi, %rax
        ret
_start: xor %eax, %eax
        mov $1000, %edi
1:      call add
        dec %edi
        jnz 1b
        cmp $500500, %rax
        jne bad
        lea text(%rip), %rsi
        mov $5, %edx
        mov $1, %edi
        mov $1, %eax
        syscall
        xor %edi, %edi
        jmp out
bad:    mov $1, %edi
out:    mov $60, %eax
        syscall
        .section .rodata
text:   .ascii "done\n"
        .section .note.GNU-stack,"",@progbits
