/* What an engine may refuse must fail with an errno a program can handle, or work.
 */
#include "check.h"
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

static int works_or_refused(long result)
{
    return result >= 0 || errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == EACCES ||
           errno == EOPNOTSUPP;
}

static void in_child(void (*body)(void))
{
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    CHECK(check_wait(child) == 0);
}

static void traced(void)
{
    CHECK(works_or_refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
}

static void others(void)
{
    CHECK(works_or_refused(personality(0xffffffff)));
    CHECK(works_or_refused(syscall(SYS_rseq, NULL, 0, 0, 0)));
    CHECK(works_or_refused(syscall(SYS_userfaultfd, 0)));
    CHECK(works_or_refused(syscall(SYS_io_uring_setup, 0, NULL)) || errno == EFAULT);
    CHECK(works_or_refused(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0)) || errno == EFAULT);
    CHECK(works_or_refused(syscall(SYS_membarrier, 0, 0, 0)));
    CHECK(works_or_refused(syscall(SYS_io_setup, 0, NULL)) || errno == EFAULT);
}

int main(void)
{
    in_child(traced);
    in_child(others);
    return done();
}
