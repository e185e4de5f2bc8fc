/* System calls: the guest's, made by the engine.
 *
 * Most calls are handed to the kernel with the guest's own arguments: guest and engine
 * share the address space, so pointers need no care.  A table has a row for each number
 * that is not simply passed on, and says of the rest whether they can wait.
 *
 * Those that need neither a look at their arguments nor the baton to be given away do not
 * even come here: the door in the cache makes them (doors.c).
 *
 *   syscalls_run --(a signal waits)-----------> instruction again, after its handler
 *                --(handler in the row)-------> answered here, or passed on changed
 *                --(NOW)----------------------> the kernel, at once
 *                --(anything else)------------> the kernel, baton given away; interruptible
 *
 * Invariants
 *   (1) A call never starts while a signal waits: what the guest's handler does comes
 *       before what the call does, and a call that would not have waited never answers
 *       EINTR.
 *   (2) A handler that gives the baton away has read all it needs of `cpu` before.
 */
#include "engine/calls/syscalls.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/calls/bounce.h"
#include "engine/calls/scratch_calls.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/memory/guest_observer.h"
#include "engine/plan/plan.h"
#include "engine/plan/standing_watch.h"
#include "engine/run/code_watch.h"
#include "engine/run/ticks.h"
#include "engine/share/share.h"
#include "engine/share/share_group.h"
#include "engine/signals/signals.h"
#include "engine/threads/process.h"
#include "engine/threads/thread.h"
#include "engine/track/record.h"
#include "engine/track/replay.h"
#include "engine/x86_64/cpu.h"

/* Numbers that the kernel's header may be too old to know. */
enum {
    NR_URETPROBE = 335,
    NR_UPROBE = 336,
    NR_FUTEX_WAITV = 449,
    NR_MAP_SHADOW_STACK = 453,
    NR_FUTEX_WAKE = 454,
    NR_FUTEX_WAIT = 455,
    NR_FUTEX_REQUEUE = 456,
    NR_MSEAL = 462,
    CALLS = 512,
    SMALL_BUFFER = 256,
};

enum { /* traits */
    NOW = 1, /* never waits */
    FD = 2,  /* the first argument is a descriptor: those of the engine are not to be seen */
};

struct call_row {
    i64 (*answer)(struct call *call); /* NULL: passed on */
    u8 traits;
    /* A buffer that the kernel writes: the argument with its address (never the first; 0:
     * none), and the one with its size (0: it is small).  Said where the kernel, if it
     * cannot write, does half of the work or forgets what it did, instead of answering
     * EFAULT and being ready to do it again. */
    u8 buffer;
    u8 size;
};

static i64 syscalls_refuse(struct call *call)
{
    (void)call;
    return -ENOSYS;
}

/* The bytes never come to the guest's memory, so a replay could not show what was written.  Programs take this
 * answer as it is meant, and copy themselves. */
static i64 refuse_if_logged(struct call *call)
{
    return log_mode == LOG_RECORD ? -EXDEV : call_pass(call);
}

static i64 refuse_seccomp(struct call *call)
{
    (void)call;
    return -EINVAL;
}

#define ROW(answer, traits) {answer, traits, 0, 0}
#define FILLS(answer, traits, buffer, size) {answer, traits, buffer, size}
#define REFUSED ROW(syscalls_refuse, NOW)

static const struct call_row rows[CALLS] = {
    /* Files */
    [__NR_open]            = ROW(call_open, 0),
    [__NR_openat]          = ROW(call_openat, 0),
    [__NR_openat2]         = ROW(call_openat2, 0),
    [__NR_readlink]        = ROW(call_readlink, 0),
    [__NR_readlinkat]      = ROW(call_readlinkat, 0),
    [__NR_stat]            = ROW(call_path_first, 0),
    [__NR_access]          = ROW(call_path_first, 0),
    [__NR_statfs]          = ROW(call_path_first, 0),
    [__NR_faccessat]       = ROW(call_path_second, 0),
    [__NR_faccessat2]      = ROW(call_path_second, 0),
    [__NR_newfstatat]      = ROW(call_newfstatat, FD),
    [__NR_statx]           = ROW(call_statx, FD),
    [__NR_getdents64]      = FILLS(call_getdents64, FD, 1, 2),

    /* Descriptors */
    [__NR_read]            = FILLS(NULL, 0, 1, 2),
    [__NR_pread64]         = FILLS(NULL, 0, 1, 2),
    [__NR_recvfrom]        = FILLS(NULL, 0, 1, 2),
    [__NR_close]           = ROW(NULL, FD),
    [__NR_fstat]           = ROW(NULL, FD | NOW),
    [__NR_lseek]           = ROW(NULL, NOW),
    [__NR_copy_file_range] = ROW(refuse_if_logged, FD),
    [__NR_ioctl]           = ROW(NULL, FD),
    [__NR_fcntl]           = ROW(NULL, FD),
    [__NR_fchmod]          = ROW(NULL, FD),
    [__NR_fchown]          = ROW(NULL, FD),
    [__NR_fchdir]          = ROW(NULL, FD),
    [__NR_fstatfs]         = ROW(NULL, FD | NOW),
    [__NR_dup]             = ROW(NULL, FD | NOW),
    [__NR_dup2]            = ROW(call_dup2, FD),
    [__NR_dup3]            = ROW(call_dup3, FD),
    [__NR_close_range]     = ROW(call_close_range, 0),

    /* Memory */
    [__NR_mmap]            = ROW(call_mmap, 0),
    [__NR_munmap]          = ROW(call_munmap, 0),
    [__NR_mprotect]        = ROW(call_mprotect, 0),
    [__NR_pkey_mprotect]   = ROW(call_pkey_mprotect, 0),
    [__NR_mremap]          = ROW(call_mremap, 0),
    [__NR_brk]             = ROW(call_brk, 0),
    [__NR_shmat]           = ROW(call_shmat, 0),
    [__NR_shmdt]           = ROW(call_shmdt, 0),
    [__NR_madvise]         = ROW(call_madvise, 0),
    [__NR_remap_file_pages] = ROW(call_remap_file_pages, 0),
    [__NR_mlockall]        = ROW(call_mlockall, 0),

    /* Signals */
    [__NR_rt_sigaction]    = ROW(call_rt_sigaction, 0),
    [__NR_rt_sigprocmask]  = ROW(call_rt_sigprocmask, 0),
    [__NR_rt_sigpending]   = ROW(call_rt_sigpending, 0),
    [__NR_rt_sigsuspend]   = ROW(call_rt_sigsuspend, 0),
    [__NR_rt_sigtimedwait] = ROW(call_rt_sigtimedwait, 0),
    [__NR_rt_sigreturn]    = ROW(call_rt_sigreturn, 0),
    [__NR_sigaltstack]     = ROW(call_sigaltstack, 0),

    /* Waiting */
    [__NR_ppoll]           = ROW(call_ppoll, 0),
    [__NR_pselect6]        = ROW(call_pselect6, 0),
    [__NR_epoll_pwait]     = ROW(call_epoll_pwait, FD),
    [__NR_epoll_pwait2]    = ROW(call_epoll_pwait2, FD),
    [__NR_futex]           = ROW(call_futex, 0),
    [__NR_sched_yield]     = ROW(call_sched_yield, 0),

    /* Processes and threads */
    [__NR_clone]           = ROW(call_clone, 0),
    [__NR_clone3]          = ROW(call_clone3, 0),
    [__NR_fork]            = ROW(call_fork, 0),
    [__NR_vfork]           = ROW(call_vfork, 0),
    [__NR_execve]          = ROW(call_execve, 0),
    [__NR_execveat]        = ROW(call_execveat, 0),
    [__NR_exit]            = ROW(call_exit, 0),
    [__NR_exit_group]      = ROW(call_exit_group, 0),
    [__NR_wait4]           = FILLS(NULL, 0, 1, 0),
    [__NR_waitid]          = FILLS(NULL, 0, 2, 0),
    [__NR_getrandom]       = ROW(call_getrandom, 0),
    [__NR_set_tid_address] = ROW(call_set_tid_address, 0),
    [__NR_set_robust_list] = ROW(call_set_robust_list, 0),
    [__NR_prctl]           = ROW(call_prctl, 0),
    [__NR_arch_prctl]      = ROW(call_arch_prctl, 0),

    /* Never wait */
    [__NR_getpid]          = ROW(call_own_number, NOW),
    [__NR_getppid]         = ROW(NULL, NOW),
    [__NR_gettid]          = ROW(call_own_number, NOW),
    [__NR_getuid]          = ROW(NULL, NOW),
    [__NR_geteuid]         = ROW(NULL, NOW),
    [__NR_getgid]          = ROW(NULL, NOW),
    [__NR_getegid]         = ROW(NULL, NOW),
    [__NR_getpgid]         = ROW(NULL, NOW),
    [__NR_getpgrp]         = ROW(NULL, NOW),
    [__NR_getsid]          = ROW(NULL, NOW),
    [__NR_getresuid]       = ROW(NULL, NOW),
    [__NR_getresgid]       = ROW(NULL, NOW),
    [__NR_getgroups]       = ROW(NULL, NOW),
    [__NR_getpriority]     = ROW(NULL, NOW),
    [__NR_getrlimit]       = ROW(NULL, NOW),
    [__NR_prlimit64]       = ROW(NULL, NOW),
    [__NR_getrusage]       = ROW(call_getrusage, NOW),
    [__NR_getcpu]          = ROW(call_getcpu, NOW),
    [__NR_getcwd]          = ROW(NULL, NOW),
    [__NR_get_robust_list] = ROW(NULL, NOW),
    [__NR_uname]           = ROW(NULL, NOW),
    [__NR_umask]           = ROW(NULL, NOW),
    [__NR_sysinfo]         = ROW(call_sysinfo, NOW),
    [__NR_times]           = ROW(call_times, NOW),
    [__NR_time]            = ROW(call_time, NOW),
    [__NR_gettimeofday]    = ROW(call_gettimeofday, NOW),
    [__NR_clock_gettime]   = ROW(call_clock_gettime, NOW),
    [__NR_clock_getres]    = ROW(NULL, NOW),
    [__NR_alarm]           = ROW(NULL, NOW),
    [__NR_getitimer]       = ROW(NULL, NOW),
    [__NR_setitimer]       = ROW(NULL, NOW),
    [__NR_timer_create]    = ROW(NULL, NOW),
    [__NR_timer_settime]   = ROW(NULL, NOW),
    [__NR_timer_gettime]   = ROW(NULL, NOW),
    [__NR_timer_getoverrun] = ROW(NULL, NOW),
    [__NR_timer_delete]    = ROW(NULL, NOW),
    [__NR_kill]            = ROW(call_to_number, NOW),
    [__NR_tkill]           = ROW(call_to_number, NOW),
    [__NR_tgkill]          = ROW(call_to_number, NOW),
    [__NR_sched_getaffinity] = ROW(NULL, NOW),
    [__NR_sched_getparam]  = ROW(NULL, NOW),
    [__NR_sched_getscheduler] = ROW(NULL, NOW),
    [__NR_capget]          = ROW(NULL, NOW),
    [__NR_pipe]            = ROW(NULL, NOW),
    [__NR_pipe2]           = ROW(NULL, NOW),
    [__NR_socket]          = ROW(NULL, NOW),
    [__NR_socketpair]      = ROW(NULL, NOW),
    [__NR_getsockname]     = ROW(NULL, NOW),
    [__NR_getpeername]     = ROW(NULL, NOW),
    [__NR_getsockopt]      = ROW(NULL, NOW),
    [__NR_eventfd]         = ROW(NULL, NOW),
    [__NR_eventfd2]        = ROW(NULL, NOW),
    [__NR_epoll_create]    = ROW(NULL, NOW),
    [__NR_epoll_create1]   = ROW(NULL, NOW),
    [__NR_epoll_ctl]       = ROW(NULL, NOW),
    [__NR_timerfd_create]  = ROW(NULL, NOW),
    [__NR_timerfd_settime] = ROW(NULL, NOW),
    [__NR_timerfd_gettime] = ROW(NULL, NOW),

    /* Refused: the kernel would do things behind the engine's back, or to the engine itself. */
    [__NR_rseq]            = REFUSED,
    [__NR_io_setup]        = REFUSED,
    [__NR_io_destroy]      = REFUSED,
    [__NR_io_getevents]    = REFUSED,
    [__NR_io_submit]       = REFUSED,
    [__NR_io_cancel]       = REFUSED,
    [__NR_io_pgetevents]   = REFUSED,
    [__NR_io_uring_setup]  = REFUSED,
    [__NR_io_uring_enter]  = REFUSED,
    [__NR_io_uring_register] = REFUSED,
    [__NR_userfaultfd]     = REFUSED,
    [__NR_set_thread_area] = REFUSED,
    [__NR_get_thread_area] = REFUSED,
    [__NR_seccomp]         = ROW(refuse_seccomp, NOW),
    [NR_MAP_SHADOW_STACK]  = REFUSED,
    [NR_URETPROBE]         = REFUSED, /* or the kernel would end the engine for it */
    [NR_UPROBE]            = REFUSED,

    /* Refused: new forms of futex(), which would not meet those who wait in our queues. */
    [NR_FUTEX_WAITV]       = REFUSED,
    [NR_FUTEX_WAKE]        = REFUSED,
    [NR_FUTEX_WAIT]        = REFUSED,
    [NR_FUTEX_REQUEUE]     = REFUSED,

    [NR_MSEAL]             = REFUSED,
};

i64 call_pass_now(const struct call *call)
{
    if (log_mode == LOG_REPLAY && call->number != __NR_arch_prctl) /* whose effect is on the processor */
        return replay_feed();
    const u64 *a = call->args;
    return kernel_call6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Functions here are inlined where every call comes by: behind a system call the processor
 * has forgotten where they return to, which makes each return as dear as all their work. */
#define EVERY_CALL static inline __attribute__((always_inline))

/* Memory is shared with other processes, which run while this one waits. */
static __attribute__((noinline)) i64 pass_sharing(const struct call *call)
{
    struct thread *t = thread_self();
    if (share_call_begins(call)) {
        i64 result = engine_make_call(call->number, call->args, &t->signal_waiting);
        share_call_ends(call, result);
        return result;
    }
    if (thread_count > 1 || share_reaches(call))
        return bounce_pass(call);
    share_give();
    i64 result = engine_make_call(call->number, call->args, &t->signal_waiting);
    share_take(true);
    return result;
}

i64 call_pass(const struct call *call)
{
    if (log_mode == LOG_REPLAY)
        return replay_feed();
    struct thread *t = thread_self();
    if (share_group && share_group_in_use())
        return pass_sharing(call);
    if (thread_count == 1)
        return engine_make_call(call->number, call->args, &t->signal_waiting);
    if (log_mode == LOG_RECORD)
        return bounce_pass(call);
    thread_give_baton();
    i64 result = engine_make_call(call->number, call->args, &t->signal_waiting);
    thread_take_baton();
    return result;
}

/* Pages that hold translated code are write-protected behind the guest's back. */
static void release_buffer(const struct call_row *row, const struct call *call)
{
    u64 start = call->args[row->buffer];
    u64 end = start + (row->size ? call->args[row->size] : SMALL_BUFFER);
    code_watch_release(start, end);
    if (share_member)
        share_release(start, end);
}

EVERY_CALL i64 syscalls_answer(const struct call_row *row, struct call *call)
{
    if ((row->traits & FD) && descriptors_owned((i32)call->args[0]))
        return -EBADF;
    if (row->buffer)
        release_buffer(row, call);
    if (row->answer)
        return row->answer(call);
    return row->traits & NOW ? call_pass_now(call) : call_pass(call);
}

static const struct call_row *syscalls_row_of(u64 number)
{
    static const struct call_row unknown = {0};
    return number < CALLS ? &rows[number] : &unknown;
}

static bool release_everything(const struct call *call)
{
    bool code = code_watch_release(0, ~0ul), shared = share_release_arguments(call->args);
    return code || shared;
}

/* Results that need a second look.  EFAULT may be our doing. */
static __attribute__((noinline)) i64 mend(i64 result)
{
    struct call call = call_from_registers(); /* the handler may have changed its own */
    if (result == -EFAULT && release_everything(&call))
        result = syscalls_answer(syscalls_row_of(call.number), &call);
    if (result != -EINTR || !thread_self()->signal_waiting)
        return result;
    call = call_from_registers();
    bool again = call_restartable(&call) ? signals_restarts() : !signals_will_handle();
    return again ? CALL_AGAIN : -EINTR;
}

EVERY_CALL void syscalls_finish(i64 result)
{
    if (result == CALL_AGAIN) {
        cpu->rip -= SYSCALL_LENGTH;
        return;
    }
    cpu->reg[RAX] = (u64)result;
    cpu->reg[RCX] = cpu->rip;
    cpu->reg[R11] = cpu->flags;
}

/* May the door make such calls by itself?  Then it needs no look at its arguments, and the
 * baton can be kept. */
static bool is_direct(const struct call_row *row)
{
    if (row->answer || (row->traits & FD) || (row->buffer && code_watch_protects()))
        return false;
    return (row->traits & NOW) || thread_count <= 1;
}

void syscalls_update_direct(void)
{
    for (unsigned n = 0; n < DIRECT_CALLS; n++)
        cpu->direct[n] = log_mode == LOG_OFF && !standing_watch_on() && is_direct(&rows[n]);
}

/* Recording and replaying */

EVERY_CALL i64 syscalls_make(struct call *call)
{
    i64 result = syscalls_answer(syscalls_row_of(call->number), call);
    return result == -EFAULT || result == -EINTR ? mend(result) : result;
}

EVERY_CALL void finish_unless_done(i64 result)
{
    if (result != CALL_DONE)
        syscalls_finish(result);
}

/* A call that is to be made again has not happened. */
EVERY_CALL void run_recorded(struct call *call)
{
    struct record_call record;
    struct thread *t = thread_self();
    t->ends_in_log = true;
    record_call_begin(&record, call);
    t->in_call = true;
    if (call->number == __NR_rt_sigreturn)
        record_call_end(&record, 0); /* afterwards there is nothing left to tell from */
    i64 result = syscalls_make(call);
    if (result != CALL_AGAIN && result != CALL_DONE)
        record_call_end(&record, result);
    else
        record_call_drop(&record);
    t->in_call = false;
    t->ends_in_log = false;
    finish_unless_done(result);
}

static void run_replayed(struct call *call)
{
    struct call asked = *call; /* a handler may change it */
    if (plan_before_call(call) || process_replay_child_ends())
        return;
    thread_self()->call_pc = cpu->rip - SYSCALL_LENGTH;
    thread_self()->call_tick = ticks_now();
    if (guest_observer)
        guest_observer->call_begins(&asked);
    bool redo = replay_call_begin(call) && replay_redoes(call);
    if (call->number == __NR_rt_sigreturn)
        replay_call_end(0);
    i64 result = redo ? syscalls_make(call) : replay_feed();
    if (result != CALL_DONE)
        replay_call_end(result);
    if (guest_observer)
        guest_observer->call_ended(&asked, result);
    thread_self()->call_pc = 0;
    finish_unless_done(result);
    if (result != CALL_AGAIN)
        plan_after_call(&asked, result);
}

void syscalls_failed(void)
{
    i64 result = (i64)cpu->reg[RAX];
    cpu->reg[RAX] = cpu->call_number;
    cpu->reg[RCX] = cpu->rip;
    cpu->reg[R11] = cpu->flags;
    syscalls_finish(mend(result));
}

void syscalls_run(void)
{
    if (thread_self()->signal_waiting) { /* (1) */
        syscalls_finish(CALL_AGAIN);
        return;
    }
    struct call call = call_from_registers();
    standing_watch_call();
    if (log_mode == LOG_RECORD)
        run_recorded(&call);
    else if (log_mode == LOG_REPLAY)
        run_replayed(&call);
    else if (log_mode == LOG_SCRATCH && !scratch_allows(&call))
        syscalls_finish(scratch_answer(&call));
    else
        finish_unless_done(syscalls_make(&call));
}
