/* A small debugger: registers, memory and signal of a child that has stopped, by ptrace; a program
 * that it traces to the end.
 */
#include "check.h"
#include <elf.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

static volatile long word = 0x1122334455667788;

/* What was read is an argument of the next call. */
static void tell(long value)
{
    syscall(SYS_getpgid, 0, value);
}

static pid_t stopped_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        word++;
        CHECK(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
        raise(SIGSTOP);
        _exit(3);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
    CHECK(WSTOPSIG(status) == SIGSTOP);
    return child;
}

static void look(pid_t child)
{
    struct user_regs_struct regs = {0}, again = {0};
    struct user_fpregs_struct floats = {0};
    struct iovec range = {&again, sizeof again};
    siginfo_t info = {0};
    CHECK(ptrace(PTRACE_GETREGS, child, NULL, &regs) == 0);
    CHECK(ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &range) == 0);
    CHECK(range.iov_len == sizeof again && memcmp(&regs, &again, sizeof regs) == 0);
    tell((long)(regs.rip ^ regs.rsp));
    CHECK(ptrace(PTRACE_GETFPREGS, child, NULL, &floats) == 0);
    tell(floats.mxcsr);
    CHECK(ptrace(PTRACE_GETSIGINFO, child, NULL, &info) == 0 && info.si_signo == SIGSTOP);
    CHECK(ptrace(PTRACE_PEEKUSER, child, offsetof(struct user, regs.rip), NULL) == (long)regs.rip);
    errno = 0;
    CHECK(ptrace(PTRACE_PEEKDATA, child, &word, NULL) == 0x1122334455667789 && errno == 0);
    CHECK(ptrace(PTRACE_PEEKDATA, child, NULL, NULL) == -1 && errno == EIO);
}

static void trace_program(void)
{
    pid_t child = fork();
    if (child == 0) {
        CHECK(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
        execl("/bin/sh", "sh", "-c", "exit 5", NULL);
        _exit(1);
    }
    int status, stops = 0;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        struct user_regs_struct regs;
        CHECK(ptrace(PTRACE_GETREGS, child, NULL, &regs) == 0);
        tell((long)regs.rip);
        stops++;
        CHECK(ptrace(PTRACE_CONT, child, NULL, 0L) == 0);
    }
    CHECK(stops > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

int main(void)
{
    pid_t child = stopped_child();
    look(child);
    CHECK(ptrace(PTRACE_CONT, child, NULL, 0L) == 0);
    CHECK(check_wait(child) == 3);
    trace_program();
    return done();
}
