/* ebb.py as part of the program. The Makefile knows the dependency. */
#include "front/gdb/python_file.h"

__asm__(".pushsection .rodata\n"
        ".globl python_file\n"
        ".globl python_file_end\n"
        "python_file:\n"
        ".incbin \"src/front/gdb/ebb.py\"\n"
        "python_file_end:\n"
        ".byte 0\n"
        ".popsection\n");
