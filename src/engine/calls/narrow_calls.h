/* System calls by `int 0x80`: the kernel takes them from 64-bit programs, too, with the numbers and
 * the registers of i386, and arguments of 32 bits.
 *
 * They are made as the calls of the system-call table that mean the same (log/syscalls_narrow.def):
 * the recording has those.  All others are answered with ENOSYS.
 */
#ifndef ENGINE_NARROW_CALLS_H
#define ENGINE_NARROW_CALLS_H

/* cpu->rip is after the instruction, as for syscalls_run(). */
void narrow_call_run(void);

#endif
