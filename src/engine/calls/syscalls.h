/* System calls: the guest's, made by the engine.
 *
 * Most are passed on as they are; the system-call table (log/syscalls.def) says which have a
 * handler. The baton is given away around calls that may wait.
 */
#ifndef ENGINE_SYSCALLS_H
#define ENGINE_SYSCALLS_H

#include "base/types.h"

/* cpu->rip stands after the instruction; number and arguments are in cpu->reg. On return
 * rax, rcx, r11 (or for rt_sigreturn, everything) are set, or rip back at the instruction
 * to make the call again after a signal. */
void syscalls_run(void);

/* Simple calls are made in the cache, by a door (doors.c) that asks cpu->direct which ones.  To be
 * called before the guest runs: whether it has several threads, and whether pages are protected,
 * may have changed. */
void syscalls_update_direct(void);
/* A call that the door made answered EINTR or EFAULT: the rest is done here. */
void syscalls_failed(void);

/* Of a snapshot (replay): may a thread wait in this call?  It does, and its answer is next: does
 * the rest of the call. */
bool syscalls_resumable(u64 number);
void syscalls_resume(void);
/* Has a call changed what the kernel keeps of the process, and the engine does not know? */
bool syscalls_kernel_changed(void);

#endif
