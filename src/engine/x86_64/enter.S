/* The engine's side of the doors, and other code that cannot be written in C: see enter.h.
 *
 * engine_enter() saves the registers that C expects to keep, notes the stack pointer in struct cpu,
 * and jumps to a door in the cache. Translated code comes back through engine_resume(). The rest
 * is: the first instruction of the process, system calls that a signal can interrupt before they
 * begin, accesses to guest memory that stop at a fault, the return from signal handlers, and the
 * switch between stacks.
 */

#include "engine/x86_64/cpu_offsets.h"

    .text

/* The kernel starts the process here, with argc at the top of the stack. */
    .globl _start
    .hidden _start
    .type _start, @function
_start:
    xor %ebp, %ebp
    mov %rsp, %rdi
    and $-16, %rsp
    call engine_main
    ud2

    .globl engine_enter
    .hidden engine_enter
    .type engine_enter, @function
engine_enter:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, CPU_ENGINE_RSP(%rdi)
    mov doors(%rip), %eax           /* doors.in */
    jmp *%rax

    .globl engine_enter_bare
    .hidden engine_enter_bare
    .type engine_enter_bare, @function
engine_enter_bare:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, CPU_ENGINE_RSP(%rdi)
    jmp *%rsi

/* Entered from doors.out and doors.bare, or because a signal handler changed the context; rsp is
 * cpu->engine_rsp. */
    .globl engine_resume
    .hidden engine_resume
    .type engine_resume, @function
engine_resume:
    mov cpu(%rip), %rax
    mov CPU_EXIT_REASON(%rax), %rax
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

/* engine_make_call(rdi number, rsi args, rdx waiting) */
    .globl engine_make_call
    .hidden engine_make_call
    .type engine_make_call, @function
engine_make_call:
    push %rbx
    mov %rdi, %rax
    mov %rdx, %rbx
    mov 0(%rsi), %rdi
    mov 16(%rsi), %rdx
    mov 24(%rsi), %r10
    mov 32(%rsi), %r8
    mov 40(%rsi), %r9
    mov 8(%rsi), %rsi
    .globl engine_call_begin
    .hidden engine_call_begin
engine_call_begin:
    cmpb $0, (%rbx)
    jne engine_call_interrupted
    syscall
    .globl engine_call_end
    .hidden engine_call_end
engine_call_end:
    pop %rbx
    ret
    .globl engine_call_interrupted
    .hidden engine_call_interrupted
engine_call_interrupted:
    mov $-512, %rax                 /* ENGINE_CALL_NOT_MADE */
    pop %rbx
    ret

/* guest_copy(rdi to, rsi from, rdx size): rcx counts what is left, also at a fault.  One word and
 * two words (a clock's) are common, and rep movsb is slow for them. */
    .globl guest_copy
    .hidden guest_copy
    .type guest_copy, @function
guest_copy:
    mov %rdx, %rcx
    cmp $8, %rdx
    jne 1f
    .globl guest_copy_begin
    .hidden guest_copy_begin
guest_copy_begin:
    mov (%rsi), %rax
    mov %rax, (%rdi)
    xor %eax, %eax
    ret
1:  cmp $16, %rdx
    jne 2f
    mov (%rsi), %rax
    mov 8(%rsi), %rdx
    mov %rax, (%rdi)
    mov %rdx, 8(%rdi)
    xor %eax, %eax
    ret
2:  rep movsb
    mov %rcx, %rax
    ret
/* guest_load(rdi from, rsi size): rax the number, rdx 0; or, at a fault, rdx not 0. */
    .globl guest_load
    .hidden guest_load
    .type guest_load, @function
guest_load:
    mov $1, %edx
    cmp $8, %rsi
    jne 1f
    mov (%rdi), %rax
    xor %edx, %edx
    ret
1:  cmp $4, %rsi
    jne 2f
    mov (%rdi), %eax
    xor %edx, %edx
    ret
2:  cmp $2, %rsi
    jne 3f
    movzwl (%rdi), %eax
    xor %edx, %edx
    ret
3:  movzbl (%rdi), %eax
    xor %edx, %edx
    ret
/* guest_compare_swap(rdi word, rsi expected, edx new) */
    .globl guest_compare_swap
    .hidden guest_compare_swap
    .type guest_compare_swap, @function
guest_compare_swap:
    mov $1, %ecx
    mov (%rsi), %eax
    lock cmpxchg %edx, (%rdi)
    mov %eax, (%rsi)
    xor %eax, %eax
    ret
    .globl guest_copy_end
    .hidden guest_copy_end
guest_copy_end:
    .globl guest_copy_faulted
    .hidden guest_copy_faulted
guest_copy_faulted:
    mov %rcx, %rax
    ret

    .globl engine_restorer
    .hidden engine_restorer
    .type engine_restorer, @function
engine_restorer:
    mov $15, %eax                   /* rt_sigreturn */
    syscall

/* engine_switch(rdi where to keep rsp, rsi rsp of the other stack) */
    .globl engine_switch
    .hidden engine_switch
    .type engine_switch, @function
engine_switch:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

    .section .note.GNU-stack, "", @progbits
