/* Programs of filters of system calls: classic BPF, as seccomp(2) takes it.
 *
 * A program reads the number and the arguments of a call, and returns what is to happen to the
 * call. The rules of what the kernel accepts are in bpf_check_classic() and seccomp_check_filter()
 * of Linux; the instructions are described in its networking/filter.rst.
 */
#ifndef ENGINE_FILTER_PROGRAM_H
#define ENGINE_FILTER_PROGRAM_H

#include "base/types.h"

enum { FILTER_LONGEST = 4096 }; /* instructions in a program */

struct filter_step { /* struct sock_filter */
    u16 code;
    u8 yes, no; /* steps that a test passes over */
    u32 operand;
};

/* What a program can read: struct seccomp_data. */
struct filter_data {
    u32 number, machine;
    u64 pc; /* after the instruction */
    u64 args[6];
};

/* True if the kernel would accept the program. */
bool filter_program_valid(const struct filter_step *steps, u32 count);

/* Returns how many instructions the kernel makes of a valid program, whose number is limited. */
u32 filter_program_length(const struct filter_step *steps, u32 count);

/* Runs a valid program. */
u32 filter_program_run(const struct filter_step *steps, const struct filter_data *data);

/* True if the program returns *ret for all calls with this number, whatever else it could read. */
bool filter_program_constant(const struct filter_step *steps, u32 number, u32 machine, u32 *ret);

#endif
