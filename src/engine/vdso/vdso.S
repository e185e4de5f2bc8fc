/* The vDSO that a program gets when it is recorded or replayed: see own_vdso.h.
 *
 * To libc and to debuggers it is like the kernel's: a shared object with the same names in the same
 * version.  Each function is a marker that the engine recognises, and a return.  The
 * engine does the work and changes rax alone; everything else is as the caller left it.
 */
#include "engine/vdso/markers.h"

    .text

    .macro function name, marker
    .globl __vdso_\name
    .type __vdso_\name, @function
    .weak \name
    .type \name, @function
    .balign 16
__vdso_\name:
\name:
    .cfi_startproc
    int $\marker
    ret
    .cfi_endproc
    .size __vdso_\name, . - __vdso_\name
    .size \name, . - \name
    .endm

    function clock_gettime, VDSO_CLOCK_GETTIME
    function gettimeofday, VDSO_GETTIMEOFDAY
    function time, VDSO_TIME
    function getcpu, VDSO_GETCPU
    function clock_getres, VDSO_CLOCK_GETRES

    .section .note.GNU-stack, "", @progbits
