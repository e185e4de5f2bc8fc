/* The finished vDSO, inside the engine: own_vdso.c copies it into the program. */

    .section .rodata
    .balign 64
    .globl vdso_image
    .hidden vdso_image
vdso_image:
    .incbin VDSO_FILE
    .globl vdso_image_end
    .hidden vdso_image_end
vdso_image_end:

    .section .note.GNU-stack, "", @progbits
