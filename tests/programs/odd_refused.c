/* What an engine may refuse must fail with an errno a program can handle, or work.
 */
#include "check.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
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

static void filtered(void)
{
    struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, all};
    CHECK(works_or_refused(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
    CHECK(works_or_refused(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)));
    CHECK(getpid() > 0);
}

static void others(void)
{
    CHECK(works_or_refused(personality(0xffffffff)));
    CHECK(works_or_refused(syscall(SYS_rseq, NULL, 0, 0, 0)));
    CHECK(works_or_refused(syscall(SYS_userfaultfd, 0)));
    CHECK(works_or_refused(syscall(SYS_io_uring_setup, 0, NULL)) || errno == EFAULT);
    CHECK(works_or_refused(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0)) || errno == EFAULT);
    CHECK(works_or_refused(syscall(SYS_membarrier, 0, 0, 0)));
    CHECK(works_or_refused(prctl(PR_GET_SECCOMP)));
    CHECK(works_or_refused(syscall(SYS_io_setup, 0, NULL)) || errno == EFAULT);
}

int main(void)
{
    in_child(traced);
    in_child(filtered);
    in_child(others);
    return done();
}
