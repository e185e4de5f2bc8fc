/* Processes that share more with their maker than a child of fork does, or less: the table of
 * descriptors, the directory, the parent; and descriptors that stand for processes. */
#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static pid_t make(unsigned long flags, int *pidfd)
{
    return (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, pidfd, 0, 0);
}

/* What the child opens, the parent has. */
static void one_table(void)
{
    for (int i = 0; i < 4; i++) {
        int ends[2];
        CHECK(pipe(ends) == 0);
        pid_t child = make(CLONE_FILES, NULL);
        if (!child) {
            int fd = open("/dev/null", O_RDONLY);
            CHECK(fd > 2 && dup2(fd, 60 + i) == 60 + i && close(fd) == 0);
            CHECK(write(ends[1], "x", 1) == 1 && close(ends[1]) == 0);
            _exit(i);
        }
        char byte;
        CHECK(check_wait(child) == i && fcntl(60 + i, F_GETFD) >= 0);
        CHECK(fcntl(ends[1], F_GETFD) == -1 && errno == EBADF && read(ends[0], &byte, 1) == 1);
        close(ends[0]);
    }
    /* A child's own child, and one that execs, which gets a table of its own. */
    pid_t child = make(CLONE_FILES, NULL);
    if (!child) {
        pid_t second = make(CLONE_FILES, NULL);
        if (!second)
            _exit(dup2(1, 70) == 70 ? 5 : 6);
        CHECK(check_wait(second) == 5);
        execl("/bin/true", "true", NULL);
        _exit(8);
    }
    CHECK(check_wait(child) == 0 && fcntl(70, F_GETFD) >= 0);
}

static void one_directory(void)
{
    char before[PATH_MAX], after[PATH_MAX];
    CHECK(getcwd(before, sizeof before) != NULL);
    pid_t child = make(CLONE_FS, NULL);
    if (!child)
        _exit(chdir("/") || umask(077) == 077);
    CHECK(check_wait(child) == 0 && getcwd(after, sizeof after) != NULL && strcmp(after, "/") == 0);
    CHECK(umask(022) == 077 && chdir(before) == 0);
}

/* Its maker's parent is its own, and waits for it. */
static void one_parent(void)
{
    int ends[2];
    pid_t second = 0;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (!child) {
        pid_t own = make(CLONE_PARENT, NULL);
        if (!own)
            _exit(4);
        CHECK(own > 0 && write(ends[1], &own, sizeof own) == sizeof own);
        _exit(waitpid(own, NULL, 0) == -1 && errno == ECHILD ? 3 : 9);
    }
    CHECK(read(ends[0], &second, sizeof second) == sizeof second);
    CHECK(check_wait(child) == 3 && check_wait(second) == 4);
}

static void by_descriptor(void)
{
    int pidfd = -1;
    pid_t child = make(CLONE_PIDFD, &pidfd);
    if (!child)
        _exit(6);
    if (child == -1)
        return;
    CHECK(pidfd > 2);
    struct pollfd wait = {pidfd, POLLIN, 0};
    CHECK(poll(&wait, 1, 60000) == 1);
    siginfo_t info;
    CHECK(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED) == 0 && info.si_status == 6 && info.si_pid == child);
    close(pidfd);
    struct clone_args args = {.flags = CLONE_PIDFD | CLONE_FILES | CLONE_PARENT_SETTID, .exit_signal = SIGCHLD,
                              .pidfd = (uintptr_t)&pidfd};
    int tid = 0;
    args.parent_tid = (uintptr_t)&tid;
    child = (pid_t)syscall(SYS_clone3, &args, sizeof args);
    if (!child)
        _exit(7);
    if (child == -1)
        return;
    CHECK(tid == child && fcntl(pidfd, F_GETFD) >= 0 && check_wait(child) == 7);
    close(pidfd);
}

static void refused(void)
{
    CHECK(make(CLONE_SIGHAND, NULL) == -1 && errno == EINVAL);
    CHECK(make(CLONE_THREAD, NULL) == -1 && errno == EINVAL);
    CHECK(make(CLONE_FS | CLONE_NEWNS, NULL) == -1);
    CHECK(syscall(SYS_clone3, 8, 88) == -1 && errno == EFAULT);
    CHECK(syscall(SYS_clone3, NULL, 8) == -1 && errno == EINVAL);
}

int main(void)
{
    one_table();
    one_directory();
    one_parent();
    by_descriptor();
    refused();
    return done();
}
