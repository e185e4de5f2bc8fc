/* The least program there is: two system calls, no libc, no stack use.
 *
 * settings: yes
 */
        .globl _start
        .text
_start: mov $1, %eax
        mov $1, %edi
        lea text(%rip), %rsi
        mov $5, %edx
        syscall
        mov $231, %eax
        xor %edi, %edi
        syscall
        ud2
        .section .rodata
text:   .ascii "done\n"
        .section .note.GNU-stack,"",@progbits
