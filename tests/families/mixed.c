/* A family of cases about the kernel's interface: namespaces and odd clone flags, descriptors that
 * are passed on, futexes, locked memory, files of /proc. family.h explains what a case is. */
#include "family.h"
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

static char stack[65536] __attribute__((aligned(16)));

CASE(namespaces)
{
    static const int kinds[] = {CLONE_NEWUTS,    CLONE_NEWIPC, CLONE_NEWNET,  CLONE_NEWNS,
                                CLONE_NEWCGROUP, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWTIME};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pid_t child = CHILD({
            int r = unshare(kinds[i]);
            say("unshare(%x) %d %s", kinds[i], r, r ? strerrorname_np(errno) : "");
            if (!r && kinds[i] == CLONE_NEWUTS) {
                char name[64];
                R(sethostname("ebb-test", 8));
                gethostname(name, sizeof name);
                say("%s", name);
            }
            if (!r && kinds[i] == CLONE_NEWPID) {
                pid_t inner = CHILD({ say("pid %d parent %d", getpid(), getppid()); _exit(4); });
                reap("inner", inner);
            }
            if (!r && kinds[i] == CLONE_NEWUSER)
                say("uid %d gid %d", getuid(), getgid());
        });
        reap("child", child);
    }
    R(unshare(1 << 30 | CLONE_VM));
    R(unshare(CLONE_FILES | CLONE_FS | CLONE_SYSVSEM));
    R(unshare(CLONE_THREAD));
    R(unshare(CLONE_SIGHAND));
    int fd = open("/proc/self/ns/uts", O_RDONLY);
    R(setns(fd, CLONE_NEWUTS));
    R(setns(fd, CLONE_NEWNET));
    R(setns(fd, 0));
    R(setns(0, 0));
    R(setns(500, 0));
    int kind = ioctl(fd, 0xb703);
    say("kind %x", kind);
    int pidfd = syscall(434, getpid(), 0);
    R(setns(pidfd, CLONE_NEWUTS));
    R(setns(pidfd, 0));
}

CASE(clone3_namespaces)
{
    struct clone_args args = {.flags = CLONE_NEWUTS | CLONE_NEWPID, .exit_signal = SIGCHLD};
    pid_t child = syscall(SYS_clone3, &args, sizeof args);
    if (!child) {
        say("pid %d ppid %d tid %d", getpid(), getppid(), (int)syscall(SYS_gettid));
        pid_t inner = CHILD(_exit(getpid()));
        reap("inner", inner);
        kill(getpid(), SIGKILL);
        say("the first process of a namespace is not killed by itself");
        _exit(5);
    }
    if (child < 0) { say("%s", strerrorname_np(errno)); return; }
    reap("child", child);
    args.flags = CLONE_NEWUSER;
    child = syscall(SYS_clone3, &args, sizeof args);
    if (!child) { say("uid %d", getuid()); _exit(0); }
    if (child < 0) say("%s", strerrorname_np(errno)); else reap("child", child);
}

static int shares_memory;

static int sharing_child(void *arg)
{
    shares_memory = 7;
    say("in the child: %s", (char *)arg);
    return 3;
}

static int sharing_execs(void *arg)
{
    (void)arg;
    shares_memory = 8;
    execl("/bin/sh", "sh", "-c", "exit 9", NULL);
    return 1;
}

CASE(clones_with_memory)
{
    pid_t child = clone(sharing_child, stack + sizeof stack, CLONE_VM | SIGCHLD, "a text");
    OK(child);
    reap("child", child);
    say("%d", shares_memory);
    child = clone(sharing_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, "vfork");
    reap("child", child);
    child = clone(sharing_execs, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    reap("child that execs after vfork", child);
    say("%d", shares_memory);
    child = clone(sharing_child, stack + sizeof stack, CLONE_FILES | CLONE_FS | SIGCHLD, "files");
    reap("child", child);
    R(clone(sharing_child, stack + sizeof stack, CLONE_THREAD | SIGCHLD, NULL));
    R(clone(sharing_child, stack + sizeof stack, CLONE_SIGHAND | SIGCHLD, NULL));
    R(clone(sharing_child, stack + sizeof stack, CLONE_THREAD | CLONE_SIGHAND | SIGCHLD, NULL));
    R(clone(sharing_child, stack + sizeof stack, CLONE_NEWNS | CLONE_FS | SIGCHLD, NULL));
    R(clone(sharing_child, stack + sizeof stack,
            CLONE_NEWPID | CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | SIGCHLD, NULL));
    R(clone(sharing_child, stack + sizeof stack, CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, NULL,
            &child, NULL, NULL));
}

CASE(clone_memory_and_exec)
{
    pid_t child = clone(sharing_execs, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
    if (child < 0) { say("%s", strerrorname_np(errno)); return; }
    reap("child", child);
    say("%d", shares_memory);
}

CASE(clone_parent_and_signals)
{
    pid_t child = CHILD({
        struct clone_args args = {.flags = CLONE_PARENT};
        pid_t sibling = syscall(SYS_clone3, &args, sizeof args);
        if (!sibling) {
            say("the sibling's parent is %s", getppid() == 1 ? "init" : "alive");
            _exit(6);
        }
        int status;
        say("the maker waits: %s",
            waitpid(sibling, &status, 0) < 0 ? strerrorname_np(errno) : "yes");
    });
    reap("child", child);
    int status;
    pid_t other = wait(&status);
    say("another: %d", other > 0 && other != child);
    say_end("sibling", status);
    struct clone_args args = {.exit_signal = 0};
    child = syscall(SYS_clone3, &args, sizeof args);
    if (!child) _exit(2);
    R(waitpid(child, &status, 0));
    R(waitpid(child, &status, __WCLONE) == child);
    args.exit_signal = 65;
    R(syscall(SYS_clone3, &args, sizeof args));
    args.exit_signal = SIGCHLD, args.stack = 1;
    R(syscall(SYS_clone3, &args, sizeof args));
    args.stack = 0, args.flags = 1;
    R(syscall(SYS_clone3, &args, sizeof args));
    R(syscall(SYS_clone3, &args, 8));
    R(syscall(SYS_clone3, &args, 10000));
    R(syscall(SYS_clone3, nowhere(), sizeof args));
    args.flags = CLONE_CLEAR_SIGHAND | CLONE_SIGHAND | CLONE_VM;
    R(syscall(SYS_clone3, &args, sizeof args));
    pid_t tids[2] = {1, 2};
    args.flags = 0, args.set_tid = (long)tids, args.set_tid_size = 40;
    R(syscall(SYS_clone3, &args, sizeof args));
    args.set_tid_size = 1;
    R(syscall(SYS_clone3, &args, sizeof args));
}

CASE(memfd_seals)
{
    R(memfd_create("x", 0x100));
    R(memfd_create(nowhere(), 0));
    char longname[300];
    memset(longname, 'n', 299);
    longname[299] = 0;
    R(memfd_create(longname, 0));
    int fd = memfd_create("sealed", MFD_ALLOW_SEALING);
    R(fcntl(fd, F_GET_SEALS));
    R(ftruncate(fd, 2 * PAGE));
    char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    strcpy(p, "content");
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
    R(ftruncate(fd, PAGE));
    R(ftruncate(fd, 3 * PAGE));
    R(pwrite(fd, "x", 1, 2 * PAGE));
    R(munmap(p, PAGE));
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    R(pwrite(fd, "x", 1, 0));
    R((long)mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    char *q = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    q[0] = 'C';
    say("%s", q);
    char *r = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    R(r == MAP_FAILED);
    if (r != MAP_FAILED) {
        say("%s", r);
        R(mprotect(r, PAGE, PROT_READ | PROT_WRITE));
    }
    R(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE));
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL));
    R(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
    R(fcntl(fd, F_GET_SEALS));
    int plain = memfd_create("plain", 0);
    R(fcntl(plain, F_GET_SEALS));
    R(fcntl(plain, F_ADD_SEALS, F_SEAL_GROW));
    R(fcntl(0, F_GET_SEALS));
    int future = memfd_create("future", MFD_ALLOW_SEALING);
    R(ftruncate(future, PAGE));
    char *w = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, future, 0);
    R(fcntl(future, F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
    w[0] = 'w';
    R(pwrite(future, "x", 1, 0));
    char c;
    R(pread(future, &c, 1, 0));
    say("%c", c);
    int exec = memfd_create("exec", 0x10);
    OK(exec);
    int noexec = memfd_create("noexec", 0x8);
    R(fcntl(noexec, F_GET_SEALS));
    R(fchmod(noexec, 0777));
}

CASE(splices_and_tees)
{
    int a[2], b[2], s[2];
    char buf[100];
    if (pipe(a) || pipe(b) || socketpair(AF_UNIX, SOCK_STREAM, 0, s))
        return;
    R(write(a[1], "hello world", 11));
    R(tee(a[0], b[1], 5, 0));
    R(tee(a[0], a[1], 5, 0));
    R(tee(a[0], 0, 5, 0));
    R(tee(a[0], b[1], 5, 64));
    R(read(b[0], buf, 100));
    say("%.5s", buf);
    R(splice(a[0], NULL, s[0], NULL, 6, 0));
    R(read(s[1], buf, 100));
    say("%.6s", buf);
    long off = 3;
    R(splice(a[0], &off, b[1], NULL, 5, 0));
    R(splice(a[0], NULL, 500, NULL, 5, 0));
    R(splice(s[0], NULL, s[1], NULL, 5, 0));
    R(splice(a[0], NULL, a[1], NULL, 5, 0));
    R(splice(a[0], NULL, b[1], NULL, 0, 0));
    R(splice(b[0], NULL, a[1], NULL, 5, SPLICE_F_NONBLOCK));
    int f = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    R(write(f, "0123456789", 10));
    off = 2;
    R(splice(f, &off, b[1], NULL, 4, 0));
    say("%ld", off);
    R(read(b[0], buf, 100));
    say("%.4s", buf);
    off = -1;
    R(splice(f, &off, b[1], NULL, 4, 0));
    off = 100;
    R(splice(f, &off, b[1], NULL, 4, 0));
    R(splice(f, nowhere(), b[1], NULL, 4, 0));
    struct iovec iov[2] = {{"vm", 2}, {"splice", 6}};
    R(vmsplice(b[1], iov, 2, 0));
    R(read(b[0], buf, 100));
    say("%.8s", buf);
    R(vmsplice(f, iov, 2, 0));
    R(vmsplice(b[1], iov, 2000, 0));
    R(vmsplice(b[1], nowhere(), 1, 0));
    R(write(b[1], "into memory", 11));
    struct iovec into = {buf, 4};
    R(vmsplice(b[0], &into, 1, 0));
    say("%.4s", buf);
    off = 0;
    R(sendfile(s[0], f, &off, 5));
    say("%ld", off);
    R(sendfile(s[0], f, NULL, 5));
    R(lseek(f, 0, SEEK_SET));
    R(sendfile(s[0], f, NULL, 100));
    R(sendfile(s[0], f, NULL, 100));
    R(sendfile(f, s[0], NULL, 5));
    R(sendfile(f, f, NULL, 5));
    R(sendfile(500, f, NULL, 5));
    off = -5;
    R(sendfile(s[0], f, &off, 5));
    SYS(sendfile, s[0], f, nowhere(), 5);
    R(read(s[1], buf, 100));
    off = 0;
    long off2 = 20;
    R(copy_file_range(f, &off, f, &off2, 5, 0));
    say("%ld %ld", off, off2);
    off = 0, off2 = 2;
    R(copy_file_range(f, &off, f, &off2, 5, 0));
    R(copy_file_range(f, &off, f, &off2, 5, 1));
    R(copy_file_range(f, &off, a[1], NULL, 5, 0));
    int ro = open("file", O_RDONLY);
    R(copy_file_range(f, &off, ro, &off2, 5, 0));
    R(fcntl(a[1], F_SETPIPE_SZ, 100));
    R(fcntl(a[1], F_GETPIPE_SZ));
    R(fcntl(f, F_GETPIPE_SZ));
    R(fcntl(a[1], F_SETPIPE_SZ, -1));
}

static int send_fd(int socket, int fd, const char *text)
{
    union { struct cmsghdr h; char room[CMSG_SPACE(sizeof(int))]; } control = {0};
    struct iovec iov = {(void *)text, strlen(text)};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    control.h = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.h), &fd, sizeof fd);
    return (int)sendmsg(socket, &m, 0);
}

CASE(many_messages)
{
    int s[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s))
        return;
    char text[5][8] = {"one", "two", "three", "four", "five"}, got[5][4];
    struct iovec out[5], in[5];
    struct mmsghdr send[5] = {0}, receive[5] = {0};
    for (int i = 0; i < 5; i++) {
        out[i] = (struct iovec){text[i], strlen(text[i])};
        send[i].msg_hdr = (struct msghdr){.msg_iov = &out[i], .msg_iovlen = 1};
        in[i] = (struct iovec){got[i], 4};
        receive[i].msg_hdr = (struct msghdr){.msg_iov = &in[i], .msg_iovlen = 1};
    }
    R(sendmmsg(s[0], send, 3, 0));
    say("%u %u %u", send[0].msg_len, send[1].msg_len, send[2].msg_len);
    R(recvmmsg(s[1], receive, 5, MSG_DONTWAIT, NULL));
    for (int i = 0; i < 5; i++)
        say("%u %x %.3s", receive[i].msg_len, receive[i].msg_hdr.msg_flags,
            receive[i].msg_len ? got[i] : "");
    R(recvmmsg(s[1], receive, 5, MSG_DONTWAIT, NULL));
    R(sendmmsg(s[0], send, 5, 0));
    R(recvmmsg(s[1], receive, 5, MSG_WAITFORONE | MSG_TRUNC, NULL));
    say("%u", receive[2].msg_len);
    R(sendmmsg(s[0], send, 2, 0));
    struct timespec limit = {0, 50000000};
    receive[1].msg_hdr.msg_iov = nowhere();
    R(recvmmsg(s[1], receive, 5, MSG_DONTWAIT, &limit));
    receive[1].msg_hdr.msg_iov = &in[1];
    R(recvmmsg(s[1], receive, 1, MSG_DONTWAIT, &(struct timespec){0, -1}));
    R(recvmmsg(s[1], nowhere(), 1, MSG_DONTWAIT, NULL));
    out[1].iov_base = nowhere();
    R(sendmmsg(s[0], send, 3, 0));
    R(sendmmsg(s[0], send + 1, 1, 0));
    R(sendmmsg(500, send, 1, 0));
    R(recvmmsg(s[1], receive, 2, MSG_DONTWAIT, NULL));
    int p[2];
    if (pipe(p))
        return;
    R(send_fd(s[0], p[1], "take it"));
    R(send_fd(s[0], p[0], "and that"));
    R(send_fd(s[0], 500, "none"));
    for (int i = 0; i < 3; i++) {
        union { struct cmsghdr h; char room[CMSG_SPACE(3 * sizeof(int))]; } control;
        char text2[32] = "";
        struct iovec iov = {text2, 31};
        struct msghdr m = {.msg_iov = &iov,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = i == 1 ? 4 : sizeof control};
        R(recvmsg(s[1], &m, MSG_DONTWAIT | (i == 0 ? MSG_PEEK : 0) | MSG_CMSG_CLOEXEC));
        say("%s flags %x control %zu", text2, m.msg_flags, m.msg_controllen);
        if (m.msg_controllen >= CMSG_LEN(sizeof(int))) {
            int fd;
            memcpy(&fd, CMSG_DATA(&control.h), sizeof fd);
            say("cloexec %d, a pipe %d", fcntl(fd, F_GETFD), fcntl(fd, F_GETPIPE_SZ) > 0);
        }
    }
    int on = 1;
    R(setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
    R((long)send_fd(s[0], p[0], "cred"));
    char room[256], text3[16];
    struct iovec iov = {text3, 16};
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    R(recvmsg(s[1], &m, 0));
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
        say("type %d length %zu", c->cmsg_type, (size_t)c->cmsg_len);
}

static volatile int io_signal, io_fd, io_code;

static void on_io(int signal, siginfo_t *info, void *context)
{
    (void)context;
    io_signal = signal, io_fd = info->si_fd, io_code = info->si_code;
}

CASE(fcntl_all)
{
    int p[2], fd = open("locked", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (pipe2(p, O_NONBLOCK))
        return;
    struct sigaction action = {.sa_sigaction = on_io, .sa_flags = SA_SIGINFO};
    sigaction(SIGIO, &action, NULL);
    sigaction(SIGRTMIN + 3, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    R(fcntl(p[0], F_SETOWN, getpid()));
    R(fcntl(p[0], F_GETOWN) == getpid());
    struct f_owner_ex { int type; pid_t pid; } owner = {0, gettid()};
    R(fcntl(p[0], 15, &owner));
    owner.type = 9;
    R(fcntl(p[0], 15, &owner));
    R(fcntl(p[0], 16, &owner));
    say("type %d", owner.type);
    R(fcntl(p[0], 16, nowhere()));
    R(fcntl(p[0], F_GETSIG));
    R(fcntl(p[0], F_SETSIG, SIGRTMIN + 3));
    R(fcntl(p[0], F_SETSIG, 70));
    R(fcntl(p[0], F_SETFL, O_ASYNC | O_NONBLOCK));
    R(write(p[1], "x", 1));
    say("signal %d fd %d code %d", io_signal == SIGRTMIN + 3, io_fd == p[0], io_code);
    R(fcntl(p[0], F_SETOWN, -99999999));
    R(fcntl(fd, F_SETLEASE, F_RDLCK));
    int ro = open("locked", O_RDONLY);
    close(fd);
    R(fcntl(ro, F_SETLEASE, F_RDLCK));
    R(fcntl(ro, F_GETLEASE));
    R(fcntl(ro, F_SETSIG, SIGUSR1));
    pid_t child = CHILD({
        int w = open("locked", O_RDWR | O_NONBLOCK);
        say("open for writing: %s", w < 0 ? strerrorname_np(errno) : "done");
    });
    reap("child", child);
    say("signal %d", io_signal == SIGUSR1);
    R(fcntl(ro, F_SETLEASE, F_UNLCK));
    R(fcntl(ro, F_GETLEASE));
    fd = open("locked", O_RDWR);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 10};
    R(fcntl(fd, F_SETLK, &lock));
    child = CHILD({
        struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 15, .l_len = 1};
        R(fcntl(fd, F_GETLK, &l));
        say("type %d start %d length %d mine %d", l.l_type, (int)l.l_start, (int)l.l_len,
            l.l_pid == getppid());
        l.l_type = F_RDLCK;
        R(fcntl(fd, F_SETLK, &l));
        l.l_pid = 0;
        R(fcntl(fd, F_OFD_SETLK, &l));
        l.l_start = 100, l.l_len = 0;
        R(fcntl(fd, F_OFD_SETLK, &l));
        l.l_pid = 1;
        R(fcntl(fd, F_OFD_GETLK, &l));
    });
    reap("child", child);
    lock.l_type = 9;
    R(fcntl(fd, F_SETLK, &lock));
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = 9};
    R(fcntl(fd, F_SETLK, &lock));
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = -5};
    R(fcntl(fd, F_SETLK, &lock));
    R(fcntl(fd, F_SETLK, nowhere()));
    R(fcntl(ro, F_SETLK, &(struct flock){.l_type = F_WRLCK}));
    R(fcntl(500, F_GETFL));
    R(fcntl(fd, F_DUPFD, -1));
    R(fcntl(fd, F_DUPFD, 1 << 30));
    R(fcntl(fd, F_DUPFD_CLOEXEC, 200));
    R(fcntl(200, F_GETFD));
    R(fcntl(fd, 9999));
    R(fcntl(fd, F_GETFL));
    R(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK));
    R(fcntl(fd, F_GETFL));
    R(fcntl(fd, F_SETFL, O_DIRECT) ? 0 : 0);
    R(fcntl(fd, F_NOTIFY, 0));
    unsigned long hint = 2;
    R(fcntl(fd, 1036, &hint));
    hint = 99;
    R(fcntl(fd, 1036, &hint));
    R(fcntl(fd, 1035, &hint));
    say("hint %lu", hint);
    R(flock(fd, LOCK_SH));
    child = CHILD({
        int other = open("locked", O_RDWR);
        R(flock(other, LOCK_EX | LOCK_NB));
        R(flock(other, LOCK_SH | LOCK_NB));
        R(flock(other, 99));
    });
    reap("child", child);
    R(flock(500, LOCK_SH));
    int dir = open(".", O_RDONLY | O_DIRECTORY);
    io_signal = 0;
    sigset_t io_set;
    sigemptyset(&io_set);
    sigaddset(&io_set, SIGIO);
    R(fcntl(dir, F_NOTIFY, DN_CREATE));
    close(open("created", O_CREAT | O_RDWR, 0600));
    say("told %d", io_signal == SIGIO);
}

static unsigned words[4];

static void *waits_on(void *word)
{
    return (void *)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static long wake(void *word, int count)
{
    long n = 0;
    while (n < count)
        n += syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count - n);
    return n;
}

CASE(futex_operations)
{
    pthread_t t[3];
    void *result;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, waits_on, &words[0]);
    long moved = 0;
    while (moved < 3)
        moved +=
            syscall(SYS_futex, &words[0], FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)10, &words[1], 0);
    say("moved %ld", moved);
    R(syscall(SYS_futex, &words[0], FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)10, &words[1], 5));
    R(syscall(SYS_futex, &words[0], FUTEX_CMP_REQUEUE_PRIVATE, -1, (void *)10, &words[1], 0));
    R(syscall(SYS_futex, &words[0], FUTEX_WAKE_PRIVATE, 10));
    R(wake(&words[1], 1));
    R(syscall(SYS_futex, &words[2], FUTEX_WAKE_OP_PRIVATE, 1, (void *)1, &words[1],
              FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 0)));
    say("word %u", words[1]);
    R(syscall(SYS_futex, &words[2], FUTEX_WAKE_OP_PRIVATE, 1, (void *)1, &words[1],
              FUTEX_OP(FUTEX_OP_SET, 9, FUTEX_OP_CMP_GT, 100)));
    say("word %u", words[1]);
    R(syscall(SYS_futex, &words[2], FUTEX_WAKE_OP_PRIVATE, 1, (void *)1, &words[1],
              FUTEX_OP(FUTEX_OP_XOR, 1, FUTEX_OP_CMP_LE, 9)));
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], &result);
        say("a waiter has %ld", (long)result);
    }
    R(syscall(SYS_futex, &words[2], 99, 1));
    R(syscall(SYS_futex, (char *)words + 1, FUTEX_WAIT, 0, NULL));
    R(syscall(SYS_futex, nowhere(), FUTEX_WAIT, 0, NULL));
    R(syscall(SYS_futex, &words[3], FUTEX_WAIT, 1, NULL));
    R(syscall(SYS_futex, &words[3], FUTEX_WAIT, 0, &(struct timespec){0, 1000}));
    R(syscall(SYS_futex, &words[3], FUTEX_WAIT, 0, &(struct timespec){0, -1}));
    R(syscall(SYS_futex, &words[3], FUTEX_WAIT, 0, nowhere()));
    R(syscall(SYS_futex, &words[3], FUTEX_WAIT_BITSET, 0, NULL, NULL, 0));
    R(syscall(SYS_futex, &words[3], FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0,
              &(struct timespec){1, 0}, NULL, 1));
    R(syscall(SYS_futex, &words[3], FUTEX_WAKE_BITSET, 1, NULL, NULL, 0));
    R(syscall(SYS_futex, &words[3], FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1));
    R(syscall(SYS_futex, &words[3], FUTEX_LOCK_PI, 0, NULL));
    R(words[3] == (unsigned)gettid());
    R(syscall(SYS_futex, &words[3], FUTEX_LOCK_PI, 0, NULL));
    R(syscall(SYS_futex, &words[3], FUTEX_TRYLOCK_PI, 0, NULL));
    R(syscall(SYS_futex, &words[3], FUTEX_UNLOCK_PI));
    R(syscall(SYS_futex, &words[3], FUTEX_UNLOCK_PI));
    R(syscall(SYS_futex, &words[3], 13, 0, NULL));
    R(syscall(SYS_futex, &words[3], FUTEX_UNLOCK_PI));
    words[3] = 0x3ffffff;
    R(syscall(SYS_futex, &words[3], FUTEX_LOCK_PI, 0, &(struct timespec){1, 0}));
    words[3] = 0;
    R(syscall(SYS_futex, &words[3], FUTEX_WAIT_REQUEUE_PI, 0, &(struct timespec){1, 0}, &words[3],
              0));
    R(syscall(SYS_futex, &words[3], FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &words[3], 0));
    R(syscall(SYS_futex, &words[3], FUTEX_CMP_REQUEUE_PI, 2, (void *)1, &words[2], 0));
    struct {
        unsigned long value, address;
        unsigned flags, reserved;
    } v[2] = {{0, (long)&words[3], 2, 0}, {1, (long)&words[3], 2, 0}};
    R(syscall(449, v, 2, 0, NULL, 0));
    R(syscall(449, v, 1, 0, &(struct timespec){1, 0}, CLOCK_MONOTONIC));
    R(syscall(449, v, 129, 0, NULL, 0));
    R(syscall(449, v, 0, 0, NULL, 0));
    R(syscall(449, v, 1, 1, NULL, 0));
    R(syscall(449, nowhere(), 1, 0, NULL, 0));
    R(syscall(449, v, 1, 0, &(struct timespec){1, 0}, 99));
    v[0].flags = 0xff;
    R(syscall(449, v, 1, 0, NULL, 0));
    v[0].flags = 2, v[0].reserved = 1;
    R(syscall(449, v, 1, 0, NULL, 0));
    void *head;
    size_t size;
    R(syscall(SYS_get_robust_list, 0, &head, &size));
    say("%zu", size);
    R(syscall(SYS_get_robust_list, 1 << 22, &head, &size));
    R(syscall(SYS_get_robust_list, 0, nowhere(), &size));
    R(syscall(SYS_set_robust_list, head, 23));
}

static long locked_kb(const char *field)
{
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, field, strlen(field)))
            kb = atol(line + strlen(field));
    if (f)
        fclose(f);
    return kb;
}

CASE(locked_memory)
{
    char *p = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char seen[16];
    struct rlimit most;
    getrlimit(RLIMIT_MEMLOCK, &most);
    if (most.rlim_cur < 1 << 20)
        return;
    R(mlock(p, 4 * PAGE));
    R(locked_kb("VmLck:"));
    R(mincore(p, 16 * PAGE, seen));
    say("%d %d", seen[0] & 1, seen[8] & 1);
    R(mlock2(p + 8 * PAGE, PAGE, 1));
    R(mincore(p, 16 * PAGE, seen));
    say("%d %d", seen[0] & 1, seen[8] & 1);
    R(syscall(SYS_mlock2, p, PAGE, 8));
    R(mlock(nowhere(), PAGE));
    R(munlock(nowhere(), PAGE));
    R(madvise(p, PAGE, MADV_DONTNEED));
    R(munlock(p, 16 * PAGE));
    R(locked_kb("VmLck:"));
    R(madvise(p, PAGE, MADV_DONTNEED));
    R(mlockall(0));
    R(mlockall(64));
    R(mlockall(MCL_ONFAULT));
    R(mlockall(MCL_FUTURE));
    char *q = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    R(mincore(q, 16 * PAGE, seen));
    say("mapped after MCL_FUTURE: %d %d", seen[0] & 1, seen[15] & 1);
    R(locked_kb("VmLck:"));
    R(madvise(q, PAGE, MADV_DONTNEED));
    char *brk0 = sbrk(0);
    sbrk(16 * PAGE);
    R(mincore((void *)(((long)brk0 + PAGE - 1) & -PAGE), 8 * PAGE, seen));
    say("heap after MCL_FUTURE: %d %d", seen[0] & 1, seen[7] & 1);
    R(munlockall());
    q = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    R(mincore(q, 16 * PAGE, seen));
    say("mapped after munlockall: %d", seen[0] & 1);
    R(locked_kb("VmLck:"));
    R(mlockall(MCL_FUTURE | MCL_ONFAULT));
    q = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    R(mincore(q, 16 * PAGE, seen));
    say("mapped after MCL_ONFAULT: %d", seen[0] & 1);
    R(madvise(q, PAGE, MADV_DONTNEED));
    munlockall();
    q = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1,
             0);
    R(mincore(q, 16 * PAGE, seen));
    say("MAP_LOCKED: %d", seen[0] & 1);
    R(locked_kb("VmLck:"));
    q = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
             -1, 0);
    R(mincore(q, 16 * PAGE, seen));
    say("MAP_POPULATE: %d", seen[0] & 1);
}

CASE(status_reread)
{
    char text[8192], *line;
    int fd = open("/proc/self/status", O_RDONLY), limits = open("/proc/self/limits", O_RDONLY);
    for (int i = 0; i < 2; i++) {
        long n = pread(fd, text, sizeof text - 1, 0);
        text[n > 0 ? n : 0] = 0;
        line = strstr(text, "SigBlk:");
        say("%.24s", line ? line : "none");
        line = strstr(text, "SigCgt:");
        say("%.24s", line ? line : "none");
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        signal(SIGUSR2, (void (*)(int))on_io);
        n = pread(limits, text, sizeof text - 1, 0);
        text[n > 0 ? n : 0] = 0;
        line = strstr(text, "Max open files");
        say("%.50s", line ? line : "none");
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = 100;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    R(lseek(fd, 0, SEEK_SET));
    char byte;
    R(read(fd, &byte, 1));
}

CASE(limits_by_vfork)
{
    struct rlimit limit = {77, 77}, now;
    pid_t child = vfork();
    if (!child) {
        setrlimit(RLIMIT_NOFILE, &limit);
        _exit(0);
    }
    reap("child", child);
    getrlimit(RLIMIT_NOFILE, &now);
    say("the parent's limit is %s", now.rlim_cur == 77 ? "changed" : "its own");
    int n = 0;
    while (n < 90 && open("/dev/null", O_RDONLY) >= 0)
        n++;
    say("%d", n);
    limit = (struct rlimit){1 << 28, 1 << 28};
    child = vfork();
    if (!child) {
        setrlimit(RLIMIT_AS, &limit);
        setrlimit(RLIMIT_DATA, &limit);
        _exit(0);
    }
    reap("child", child);
    void *p = mmap(NULL, 1ul << 30, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    say("a mapping: %s", p == MAP_FAILED ? strerrorname_np(errno) : "done");
}

struct map_query {
    unsigned long size, flags, address, start, end, rights, page_size, offset, inode;
    unsigned major, minor, name_size, build_size;
    unsigned long name, build;
};

static char *place;

static void query(int fd, struct map_query q)
{
    char name[300] = "", build[64];
    if (!q.size)
        q.size = sizeof q;
    if (q.name_size)
        q.name = (unsigned long)name;
    if (q.build_size)
        q.build = (unsigned long)build;
    unsigned long wanted = q.flags;
    int r = ioctl(fd, 0xc0686611, &q);
    char *last = strrchr(name, '/');
    if (r)
        say("query %lx: %s", wanted, strerrorname_np(errno));
    else
        say("query %lx: from %ld pages %ld rights %lx page %lu file %d name '%s' build id %d",
            wanted,
            q.start - (unsigned long)place < 1 << 20 ? (q.start - (unsigned long)place) / PAGE : -1,
            q.start - (unsigned long)place < 1 << 20 ? (q.end - q.start) / PAGE : -1, q.rights,
            q.page_size, q.inode != 0, last ? last + 1 : name, q.build_size);
}

CASE(map_queries)
{
    place = mmap(NULL, 16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(place, 16 * PAGE);
    place = mmap(place, 16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mprotect(place + 4 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE);
    mprotect(place + 8 * PAGE, PAGE, PROT_READ | PROT_EXEC);
    munmap(place + 10 * PAGE, 2 * PAGE);
    int file = open("queried", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(file, 8 * PAGE))
        return;
    mmap(place + 13 * PAGE, 2 * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, file, 3 * PAGE);
    unsigned long at = (unsigned long)place;
    int fd = open("/proc/self/maps", O_RDONLY);
    query(fd, (struct map_query){.address = at + 5 * PAGE, .name_size = 300, .build_size = 64});
    query(fd, (struct map_query){.address = at + 8 * PAGE});
    query(fd, (struct map_query){.address = at + 10 * PAGE});
    query(fd, (struct map_query){.address = at + 10 * PAGE, .flags = 16, .name_size = 300});
    query(fd, (struct map_query){.address = at, .flags = 16 | 2});
    query(fd, (struct map_query){.address = at, .flags = 16 | 4});
    query(fd, (struct map_query){.address = at + 9 * PAGE, .flags = 16 | 32, .name_size = 300});
    query(fd, (struct map_query){
                  .address = at + 13 * PAGE, .flags = 8 | 1, .name_size = 300, .build_size = 64});
    query(fd, (struct map_query){.address = at + 13 * PAGE, .name_size = 3});
    query(fd, (struct map_query){.address = at, .flags = 2});
    query(fd, (struct map_query){.address = at, .flags = 64});
    query(fd, (struct map_query){.address = at, .size = 16});
    query(fd, (struct map_query){.address = at, .size = 24});
    query(fd, (struct map_query){.address = at, .size = 5000});
    query(fd, (struct map_query){.address = at, .name = 1});
    query(fd, (struct map_query){.address = (unsigned long)case_map_queries,
                                 .flags = 4,
                                 .name_size = 300,
                                 .build_size = 64});
    query(fd, (struct map_query){.address = (unsigned long)&fd, .name_size = 300});
    query(file, (struct map_query){.address = at});
    R(ioctl(fd, 0xc0686611, nowhere()));
    R(ioctl(fd, 0x5401, nowhere()));
}
