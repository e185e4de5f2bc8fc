/* System calls: the guest's, made by the engine.
 *
 * Most are passed on unchanged; the system-call table (log/syscalls.def) says which have a
 * handler. The baton is given away around calls that may wait.
 */
#ifndef ENGINE_SYSCALLS_H
#define ENGINE_SYSCALLS_H

#include "base/types.h"

/* cpu->rip is after the instruction; number and arguments are in cpu->reg. On return rax, rcx, r11
 * (for rt_sigreturn, all registers) are set, or rip is back at the instruction to make the call
 * again after a signal. */
void syscalls_run(void);

/* Simple calls are made in the cache, by a door (doors.c) that tests cpu->direct. Must be called
 * before the guest runs: the number of threads, or the protection of pages, may have changed. */
void syscalls_update_direct(void);
/* A call that the door made returned EINTR or EFAULT: handles the rest. */
void syscalls_failed(void);

/* For snapshots in a replay. syscalls_resumable: true if a thread may wait in this call.
 * syscalls_resume: the thread waits in the call, and its result is next: does the rest of the
 * call. */
bool syscalls_resumable(u64 number);
void syscalls_resume(void);
/* True if a call has changed state that the kernel keeps for the process and the engine does not
 * know. */
bool syscalls_kernel_changed(void);

#endif
