/* What the files of the system calls share: the handlers.
 *
 * A handler gets the call with its number and arguments, may change both, and either answers it or
 * passes it on. Its result is the guest's, or CALL_AGAIN or CALL_DONE. A column of log/syscalls.def
 * names the handler of each call.
 */
#ifndef ENGINE_SYSCALLS_INTERNAL_H
#define ENGINE_SYSCALLS_INTERNAL_H

#include "engine/log/log.h"
#include "engine/threads/filters.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/call.h"

/* Pass a call to the kernel: directly, for those that never wait; or without the baton. In a replay
 * they take the result from the log. */
static inline i64 call_pass_now(const struct call *call)
{
    return log_owner->pass_now(call);
}

static inline i64 call_pass(const struct call *call)
{
    return log_owner->pass(call);
}

/* Passes a call directly, also in a replay: it changes the processor, or state that the kernel
 * keeps for the process. */
i64 call_pass_again(const struct call *call);
/* The same for what belongs to a thread's registers. */
i64 call_pass_to_processor(const struct call *call);

/* Notes in the log that the kernel was not asked; returns its argument. */
i64 call_refused(i64 result);

/* syscalls.c */
i64 call_refuse(struct call *call);
i64 call_copy_file_range(struct call *call);
i64 call_perf_event_open(struct call *call);
i64 call_personality(struct call *call);

/* syscalls_files.c */
i64 call_open(struct call *call);
i64 call_openat(struct call *call);
i64 call_openat2(struct call *call);
i64 call_lseek(struct call *call);
i64 call_pread64(struct call *call);
i64 call_ioctl(struct call *call);
i64 call_readlink(struct call *call);
i64 call_readlinkat(struct call *call);
i64 call_path_first(struct call *call);  /* a path in the first argument: stat, access */
i64 call_path_second(struct call *call); /* in the second, after a directory */
i64 call_newfstatat(struct call *call);
i64 call_statx(struct call *call);

/* syscalls_descriptors.c */
i64 call_dup2(struct call *call);
i64 call_dup3(struct call *call);
i64 call_close_range(struct call *call);
i64 call_limit(struct call *call);
i64 call_getdents64(struct call *call);

/* syscalls_memory.c */
i64 call_mmap(struct call *call);
i64 call_munmap(struct call *call);
i64 call_mprotect(struct call *call);
i64 call_pkey_mprotect(struct call *call);
i64 call_mremap(struct call *call);
i64 call_brk(struct call *call);
i64 call_shmat(struct call *call);
i64 call_shmdt(struct call *call);
i64 call_madvise(struct call *call);
i64 call_process_madvise(struct call *call);
i64 call_remap_file_pages(struct call *call);
i64 call_mlockall(struct call *call);
i64 call_munlockall(struct call *call);
i64 call_write_memory(struct call *call);
i64 call_io_setup(struct call *call);
i64 call_io_destroy(struct call *call);
i64 call_io_submit(struct call *call);
i64 call_io_getevents(struct call *call);
i64 call_io_cancel(struct call *call);
i64 call_io_pgetevents(struct call *call);
i64 call_mseal(struct call *call);

/* syscalls_waits.c */
i64 call_ppoll(struct call *call);
i64 call_pselect6(struct call *call);
i64 call_epoll_pwait(struct call *call);
i64 call_epoll_pwait2(struct call *call);
i64 call_futex(struct call *call);
i64 call_futex_waitv(struct call *call);
i64 call_futex_wait(struct call *call);
i64 call_futex_wake(struct call *call);
i64 call_futex_requeue(struct call *call);
i64 call_sched_yield(struct call *call);
/* True if the kernel would restart this call after a handler with SA_RESTART. */
bool call_restartable(const struct call *call);

/* syscalls_process.c */
i64 call_clone(struct call *call);
i64 call_clone3(struct call *call);
i64 call_fork(struct call *call);
i64 call_vfork(struct call *call);
i64 call_execve(struct call *call);
i64 call_execveat(struct call *call);
i64 call_exit(struct call *call);
i64 call_exit_group(struct call *call);
i64 call_set_tid_address(struct call *call);
i64 call_set_robust_list(struct call *call);
i64 call_rt_sigaction(struct call *call);
i64 call_rt_sigprocmask(struct call *call);
i64 call_rt_sigpending(struct call *call);
i64 call_rt_sigsuspend(struct call *call);
i64 call_rt_sigtimedwait(struct call *call);
i64 call_rt_sigreturn(struct call *call);
i64 call_sigaltstack(struct call *call);
i64 call_prctl(struct call *call);
i64 call_arch_prctl(struct call *call);
i64 call_modify_ldt(struct call *call);
i64 call_getrandom(struct call *call);

/* syscalls_filters.c */
i64 call_seccomp(struct call *call);
i64 call_set_filter_mode(u64 mode, u64 program); /* prctl */
u32 syscalls_run_filters(const struct call *call);
i64 syscalls_stopped(u32 verdict);
void syscalls_carry_out(const struct call *call, u32 verdict);

/* What the guest's filters say about a call. */
static inline u32 syscalls_judge(const struct call *call)
{
    return __builtin_expect(thread_self()->filter_mode == FILTERS_NONE, 1)
               ? (u32)FILTER_ALLOW
               : syscalls_run_filters(call);
}

/* syscalls_reproducible.c */
i64 call_clock_gettime(struct call *call);
i64 call_gettimeofday(struct call *call);
i64 call_time(struct call *call);
i64 call_times(struct call *call);
i64 call_getrusage(struct call *call);
i64 call_getcpu(struct call *call);
i64 call_sysinfo(struct call *call);
i64 call_own_number(struct call *call);
i64 call_to_number(struct call *call);
void reproducible_path(u64 *path); /* the path to be opened is replaced if necessary */

#endif
