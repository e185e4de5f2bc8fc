/* System calls by `int 0x80`: the kernel accepts them from 64-bit programs, too, with the numbers
 * and registers of i386, and 32-bit arguments.
 *
 * They are converted to the equivalent calls of the system-call table (log/syscalls_narrow.def),
 * which are recorded. All others fail with ENOSYS.
 */
#ifndef ENGINE_NARROW_CALLS_H
#define ENGINE_NARROW_CALLS_H

/* cpu->rip is after the instruction, as for syscalls_run(). */
void narrow_call_run(void);

#endif
