/* Processes: making, waiting, ending, executing, identities, limits. */
#include "family.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <spawn.h>

#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/fsuid.h>
#include <poll.h>

extern char **environ;

CASE(forks)
{
    for (int i = 0; i < 5; i++)
        reap("child", CHILD(_exit(i * 50)));
    reap("raw fork", ({
             pid_t c = (pid_t)syscall(SYS_fork);
             if (!c)
                 _exit(9);
             c;
         }));
    pid_t v = vfork();
    if (!v)
        _exit(11);
    reap("vfork", v);
    int n = 0;
    v = vfork();
    if (!v) {
        n = 77;
        _exit(0);
    }
    reap("vfork", v);
    say("n %d", n);
}

CASE(grandchildren)
{
    int p[2];
    pipe(p);
    R(prctl(PR_SET_CHILD_SUBREAPER, 1));
    pid_t child = CHILD({
        if (!fork()) {
            pause_ms(30);
            char text[32];
            write(p[1], text, (size_t)snprintf(text, sizeof text, "%d", getppid() != 1));
            _exit(5);
        }
    });
    reap("child", child);
    reap("adopted", -1);
    char text[32] = "";
    read(p[0], text, 31);
    say("%s", text);
    R(wait(NULL));
}

CASE(waits)
{
    siginfo_t info;
    pid_t child = CHILD(_exit(3));
    R(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
    say("code %d status %d", info.si_code, info.si_status);
    R(waitid(P_PID, (id_t)child, NULL, WEXITED));
    R(waitid(P_PID, (id_t)child, &info, WEXITED));
    R(waitid(P_ALL, 0, &info, 0));
    R(waitid(99, 0, &info, WEXITED));
    R(waitpid(-1, NULL, WNOHANG));
    R(waitpid(-1, NULL, 0x12345));
    R(waitpid(INT_MIN, NULL, 0));
    child = CHILD(pause());
    R(waitpid(child, NULL, WNOHANG));
    info.si_pid = 55;
    R(waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG));
    say("pid %d", info.si_pid);
    R(syscall(SYS_wait4, child, NULL, WNOHANG, nowhere()));
    kill(child, SIGKILL);
    struct rusage u;
    int status;
    R(wait4(child, &status, 0, &u) == child);
    say_end("child", status);
    child = CHILD(_exit(0));
    R(waitpid(child, nowhere(), 0));
    child = CHILD({
        setpgid(0, 0);
        _exit(4);
    });
    setpgid(child, child);
    R(waitpid(-child, &status, 0) == child);
    say_end("child", status);
    child = CHILD(_exit(6));
    R(waitid(P_PGID, 0, &info, WEXITED));
    say("status %d", info.si_status);
}

CASE(execs)
{
    reap("true", CHILD(execl("/bin/true", "true", NULL)));
    reap("sh", CHILD(execl("/bin/sh", "sh", "-c", "echo $0 $1 $VAR; exit 12", "one", NULL)));
    reap("env", CHILD({
        char *env[] = {"VAR=value", NULL};
        char *args[] = {"sh", "-c", "echo VAR is $VAR; env | grep -c =", NULL};
        execve("/bin/sh", args, env);
    }));
    reap("none", CHILD({
        R(execl("/nothing", "x", NULL));
        R(execl("/etc/passwd", "x", NULL));
        R(execl("/tmp", "x", NULL));
        R(syscall(SYS_execve, nowhere(), NULL, NULL));
        R(execve("/bin/true", nowhere(), NULL));
        R(execl("", "x", NULL));
    }));
    int fd = open("script", O_WRONLY | O_CREAT, 0755);
    write(fd, "#!/bin/echo an argument\n", 24);
    close(fd);
    reap("script", CHILD(execl("./script", "script", "more", NULL)));
    fd = open("bad", O_WRONLY | O_CREAT, 0755);
    write(fd, "#!/nothing\n", 11);
    close(fd);
    reap("bad interpreter", CHILD(R(execl("./bad", "bad", NULL))));
    fd = open("empty", O_WRONLY | O_CREAT, 0755);
    close(fd);
    reap("empty", CHILD(R(execl("./empty", "empty", NULL))));
    fd = open("text", O_WRONLY | O_CREAT, 0755);
    write(fd, "echo from text\n", 15);
    close(fd);
    reap("text", CHILD(R(execl("./text", "text", NULL))));
    reap("execlp", CHILD(R(execlp("echo", "echo", "by", "path", NULL))));
    fd = open("busy", O_WRONLY | O_CREAT, 0755);
    write(fd, "\177ELFjunk", 8);
    reap("busy", CHILD(R(execl("./busy", "busy", NULL))));
    close(fd);
    reap("broken", CHILD(R(execl("./busy", "busy", NULL))));
    reap("no arguments", CHILD({
        char *none[] = {NULL};
        execve("/bin/true", none, NULL);
    }));
    reap("too long", CHILD({
        static char *many[300];
        char *big = malloc(200000);
        memset(big, 'x', 199999);
        big[199999] = 0;
        many[0] = "x";
        many[1] = big;
        R(execve("/bin/true", many, NULL));
        big[130000] = 0;
        for (int i = 1; i < 299; i++)
            many[i] = big;
        R(execve("/bin/true", many, NULL));
    }));
}

CASE(execs_by_descriptor)
{
    int fd = open("/bin/echo", O_RDONLY | O_CLOEXEC), path = open("/bin/echo", O_PATH);
    char *args[] = {"echo", "executed", NULL};
    reap("fexecve", CHILD(fexecve(fd, args, environ)));
    reap("path", CHILD(R(syscall(SYS_execveat, path, "", args, environ, AT_EMPTY_PATH))));
    reap("relative", CHILD({
        int dir = open("/bin", O_RDONLY);
        R(syscall(SYS_execveat, dir, "echo", args, environ, 0));
    }));
    reap("errors", CHILD({
        R(syscall(SYS_execveat, -1, "echo", args, environ, 0));
        R(syscall(SYS_execveat, fd, "", args, environ, 0));
        R(syscall(SYS_execveat, AT_FDCWD, "/bin/echo", args, environ, 0x123));
        symlink("/bin/echo", "link");
        R(syscall(SYS_execveat, AT_FDCWD, "link", args, environ, AT_SYMLINK_NOFOLLOW));
    }));
    int script = open("script", O_RDWR | O_CREAT, 0755);
    write(script, "#!/bin/sh\necho script $1\n", 25);
    close(script);
    script = open("script", O_RDONLY);
    reap("script", CHILD(fexecve(script, args, environ)));
    script = open("script", O_RDONLY | O_CLOEXEC);
    reap("closed script", CHILD({
        R(fexecve(script, args, environ));
    }));
    int mem = memfd_create("program", 0), in = open("/bin/true", O_RDONLY);
    char block[65536];
    for (long n; (n = read(in, block, sizeof block)) > 0;)
        write(mem, block, (size_t)n);
    reap("memfd", CHILD(fexecve(mem, args, environ)));
}

CASE(spawns)
{
    pid_t child;
    char *args[] = {"sh", "-c", "echo spawned; exit 4", NULL};
    R(posix_spawn(&child, "/bin/sh", NULL, NULL, args, environ));
    reap("child", child);
    R(posix_spawn(&child, "/nothing", NULL, NULL, args, environ));
    posix_spawn_file_actions_t a;
    posix_spawn_file_actions_init(&a);
    posix_spawn_file_actions_addopen(&a, 7, "/etc/passwd", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&a, 7, 0);
    args[2] = "read x; echo ${x%%:*}";
    R(posix_spawn(&child, "/bin/sh", &a, NULL, args, environ));
    reap("child", child);
    posix_spawnattr_t at;
    posix_spawnattr_init(&at);
    posix_spawnattr_setflags(&at, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&at, 0);
    args[2] = "exit 5";
    R(posix_spawnp(&child, "sh", NULL, &at, args, environ));
    reap("child", child);
    R(system("exit 3") >> 8);
    FILE *f = popen("echo popen", "r");
    char line[32] = "";
    fgets(line, sizeof line, f);
    say("%s %d", strtok(line, "\n"), pclose(f));
}

static void *exec_now(void *arg)
{
    execl("/bin/echo", "echo", (char *)arg, NULL);
    return NULL;
}

static void *sleep_long(void *arg)
{
    pause();
    return arg;
}

CASE(exec_from_thread)
{
    reap("child", CHILD({
        pthread_t t[3];
        pthread_create(&t[0], NULL, sleep_long, NULL);
        pthread_create(&t[1], NULL, sleep_long, NULL);
        pthread_create(&t[2], NULL, exec_now, "from a thread");
        pthread_join(t[0], NULL);
    }));
    reap("main", CHILD({
        pthread_t t;
        pthread_create(&t, NULL, sleep_long, NULL);
        exec_now("from the main thread");
    }));
}

static void *exit_now(void *arg)
{
    pause_ms(10);
    exit((int)(long)arg);
}

CASE(ends)
{
    reap("main thread exits first", CHILD({
        pthread_t t;
        pthread_create(&t, NULL, exit_now, (void *)21);
        pthread_exit(NULL);
    }));
    reap("thread calls exit", CHILD({
        pthread_t t;
        pthread_create(&t, NULL, exit_now, (void *)22);
        for (;;)
            pause();
    }));
    reap("raw exit", CHILD(syscall(SYS_exit, 23)));
    reap("exit group", CHILD(syscall(SYS_exit_group, 0x12345)));
    reap("abort", CHILD(abort()));
    reap("killed itself", CHILD(kill(getpid(), SIGKILL)));
    reap("by alarm", CHILD({
        alarm(1);
        for (;;)
            pause();
    }));
    reap("spinning", ({
             pid_t c = CHILD(for (volatile long i = 0;; i++) {
             });
             pause_ms(20);
             kill(c, SIGTERM);
             c;
         }));
}

CASE(pidfds)
{
    int gate[2];
    pipe(gate);
    pid_t child = CHILD({
        char byte;
        close(gate[1]);
        read(gate[0], &byte, 1);
        _exit(8);
    });
    int fd = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd p = {fd, POLLIN, 0};
    R(poll(&p, 1, 0));
    R(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
    close(gate[1]);
    R(poll(&p, 1, -1));
    siginfo_t info;
    R(waitid(P_PIDFD, (id_t)fd, &info, WEXITED));
    say("status %d", info.si_status);
    R(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
    R(syscall(SYS_pidfd_open, -1, 0));
    R(syscall(SYS_pidfd_open, 1, 0x999));
    R(waitid(P_PIDFD, 0, &info, WEXITED));
    R(syscall(SYS_pidfd_send_signal, 0, SIGTERM, NULL, 0));
    int own = (int)syscall(SYS_pidfd_open, getpid(), 0), file = open("/etc/passwd", O_RDONLY);
    int copy = (int)syscall(SYS_pidfd_getfd, own, file, 0);
    char bytes[5] = "";
    read(copy, bytes, 4);
    say("%s", bytes);
    R(syscall(SYS_pidfd_getfd, own, 999, 0));
    R(syscall(SYS_pidfd_getfd, own, file, 1));
    child = CHILD(for (;;) pause());
    fd = (int)syscall(SYS_pidfd_open, child, O_NONBLOCK);
    R(waitid(P_PIDFD, (id_t)fd, &info, WEXITED));
    R(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0));
    reap("child", child);
}

static char child_stack[65536] __attribute__((aligned(16)));
static volatile int shared_word;

static int clone_body(void *arg)
{
    shared_word = 5;
    return (int)(long)arg;
}

CASE(clones)
{
    pid_t child = clone(clone_body, child_stack + sizeof child_stack, SIGCHLD, (void *)31);
    reap("plain", child);
    say("word %d", shared_word);
    child = clone(clone_body, child_stack + sizeof child_stack, SIGCHLD | CLONE_VM | CLONE_VFORK, (void *)32);
    reap("vfork-like", child);
    say("word %d", shared_word);
    shared_word = 0;
    child = clone(clone_body, child_stack + sizeof child_stack, SIGCHLD | CLONE_VM, (void *)33);
    reap("shares memory", child);
    say("word %d", shared_word);
    child = clone(clone_body, child_stack + sizeof child_stack, SIGCHLD | CLONE_FILES, (void *)34);
    reap("shares files", child);
    child = clone(clone_body, child_stack + sizeof child_stack, SIGCHLD | CLONE_FS | CLONE_FILES | CLONE_IO, (void *)35);
    reap("shares more", child);
    child = clone(clone_body, child_stack + sizeof child_stack, 0, (void *)36);
    int status;
    R(waitpid(child, &status, 0));
    R(waitpid(child, &status, __WCLONE) == child);
    say_end("no signal", status);
    child = clone(clone_body, child_stack + sizeof child_stack, SIGUSR1, (void *)37);
    signal(SIGUSR1, SIG_IGN);
    R(waitpid(child, &status, __WALL) == child);
    say_end("other signal", status);
    R(syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0));
    R(syscall(SYS_clone, CLONE_SIGHAND, 0, 0, 0, 0));
    R(syscall(SYS_clone, CLONE_FS | CLONE_NEWNS, 0, 0, 0, 0));
    int tid = 0, ctid = 0;
    child = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID, 0, &tid, &ctid, 0);
    if (!child)
        _exit(ctid == getpid() ? 41 : 42);
    say("tid %d ctid %d", tid == child, ctid);
    reap("settid", child);
    int pidfd = -1;
    child = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_PIDFD, 0, &pidfd, 0, 0);
    if (!child)
        _exit(43);
    say("pidfd %d", pidfd >= 0);
    siginfo_t info;
    R(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED));
    say("status %d", info.si_status);
}

CASE(clone_parent)
{
    int p[2];
    pipe(p);
    pid_t child = CHILD({
        pid_t sibling = clone(clone_body, child_stack + sizeof child_stack, SIGCHLD | CLONE_PARENT, (void *)51);
        write(p[1], &sibling, sizeof sibling);
        _exit(0);
    });
    pid_t sibling = 0;
    read(p[0], &sibling, sizeof sibling);
    reap("child", child);
    reap("sibling", sibling);
}

CASE(clone3s)
{
    struct clone_args a = {.exit_signal = SIGCHLD};
    int pidfd = -1, tid = -1;
    a.flags = CLONE_PIDFD | CLONE_PARENT_SETTID;
    a.pidfd = (uintptr_t)&pidfd;
    a.parent_tid = (uintptr_t)&tid;
    pid_t child = (pid_t)syscall(SYS_clone3, &a, sizeof a);
    if (!child)
        _exit(61);
    say("pidfd %d tid %d", pidfd >= 0, tid == child);
    reap("child", child);
    R(syscall(SYS_clone3, &a, 8));
    R(syscall(SYS_clone3, nowhere(), sizeof a));
    a.flags = 1ull << 50;
    R(syscall(SYS_clone3, &a, sizeof a));
    a.flags = CLONE_DETACHED;
    R(syscall(SYS_clone3, &a, sizeof a));
    a.flags = 0;
    a.exit_signal = 999;
    R(syscall(SYS_clone3, &a, sizeof a));
    a.exit_signal = SIGCHLD;
    a.stack = 1;
    R(syscall(SYS_clone3, &a, sizeof a));
    a.stack = 0;
    a.flags = CLONE_CLEAR_SIGHAND;
    signal(SIGUSR1, (void (*)(int))clone_body);
    child = (pid_t)syscall(SYS_clone3, &a, sizeof a);
    if (!child) {
        struct sigaction now;
        sigaction(SIGUSR1, NULL, &now);
        _exit(now.sa_handler == SIG_DFL ? 62 : 63);
    }
    reap("cleared", child);
    pid_t wanted[1] = {getpid()};
    a.flags = 0;
    a.set_tid = (uintptr_t)wanted;
    a.set_tid_size = 1;
    R(syscall(SYS_clone3, &a, sizeof a));
    a.set_tid_size = 99;
    R(syscall(SYS_clone3, &a, sizeof a));
}

CASE(groups_and_sessions)
{
    reap("child", CHILD({
        R(getpgrp() == getpgid(0));
        R(setpgid(0, 0));
        R(getpgrp() == getpid());
        R(setsid());
        R(getsid(0) == getpid());
        R(setpgid(1, 1));
        R(setpgid(0, -1));
        R(getpgid(INT_MAX));
        R(getsid(INT_MAX));
    }));
    reap("leader", CHILD({
        R(setsid() == getpid());
        R(setpgid(0, 0));
    }));
}

CASE(identities)
{
    uid_t r, e, s;
    R(getresuid(&r, &e, &s));
    say("%d %d", r == getuid(), e == geteuid());
    R(getresgid(&r, &e, &s));
    R(getresuid(nowhere(), &e, &s));
    gid_t list[64];
    R(getgroups(0, NULL) >= 0);
    R(getgroups(64, list) >= 0);
    R(getgroups(-1, list));
    R(setgroups(-1, NULL));
    R(setfsuid(getuid()) == (int)getuid());
    R(setfsgid(getgid()) == (int)getgid());
    reap("other user", CHILD({
        gid_t g = 1000;
        if (getuid())
            _exit(0);
        R(setgroups(1, &g));
        R(setresgid(1000, 1000, 1000));
        R(setresuid(1000, 1001, 1002));
        R(getuid() == 1000 && geteuid() == 1001);
        R(setuid(0));
        R(seteuid(1002));
        R(setreuid(1000, 1000));
        R(setresuid(5, 5, 5));
        R(open("/etc/shadow", O_RDONLY));
        R(kill(1, 0));
        R(setpriority(PRIO_PROCESS, 0, -5));
        R(chown("/tmp", 0, 0));
        R(access("/root", R_OK));
        execl("/usr/bin/id", "id", "-u", NULL);
    }));
}

CASE(capabilities)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    R(syscall(SYS_capget, &h, d));
    say("%x %x", d[0].effective, d[1].effective);
    h.version = _LINUX_CAPABILITY_VERSION_1;
    d[1].effective = 0x55;
    R(syscall(SYS_capget, &h, d));
    say("%x", d[1].effective);
    h.version = 1;
    R(syscall(SYS_capget, &h, d));
    say("version %x", h.version);
    R(syscall(SYS_capget, &h, NULL));
    h.pid = -1;
    R(syscall(SYS_capget, &h, d));
    h.pid = INT_MAX;
    R(syscall(SYS_capget, &h, d));
    h.pid = 0;
    R(syscall(SYS_capget, nowhere(), d));
    reap("drops", CHILD({
        d[0].effective = d[0].permitted = d[0].inheritable = 0;
        d[1] = d[0];
        R(syscall(SYS_capset, &h, d));
        R(syscall(SYS_capget, &h, d));
        say("%x", d[0].effective);
        R(chroot("/"));
    }));
}

CASE(prctls)
{
    char name[32] = "";
    R(prctl(PR_SET_NAME, "a name that is too long"));
    R(prctl(PR_GET_NAME, name));
    say("%s", name);
    R(prctl(PR_SET_NAME, nowhere()));
    int v = 0;
    R(prctl(PR_SET_PDEATHSIG, SIGUSR1));
    R(prctl(PR_GET_PDEATHSIG, &v));
    say("%d", v);
    R(prctl(PR_SET_PDEATHSIG, 99));
    R(prctl(PR_SET_PDEATHSIG, 0));
    R(prctl(PR_GET_DUMPABLE));
    R(prctl(PR_SET_DUMPABLE, 0));
    R(prctl(PR_GET_DUMPABLE));
    R(prctl(PR_SET_DUMPABLE, 1));
    R(prctl(PR_SET_DUMPABLE, 7));
    R(prctl(PR_GET_KEEPCAPS));
    R(prctl(PR_SET_KEEPCAPS, 1));
    R(prctl(PR_GET_KEEPCAPS));
    R(prctl(PR_CAPBSET_READ, 0));
    R(prctl(PR_CAPBSET_READ, 999));
    R(prctl(PR_GET_SECUREBITS));
    R(prctl(PR_GET_TIMERSLACK));
    R(prctl(PR_SET_TIMERSLACK, 100000));
    R(prctl(PR_GET_TIMERSLACK));
    R(prctl(PR_GET_TIMING));
    R(prctl(PR_SET_TIMING, 1));
    R(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    R(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    R(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    R(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    R(prctl(PR_GET_TSC, &v));
    say("tsc %d", v);
    R(prctl(PR_GET_CHILD_SUBREAPER, &v));
    R(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
    R(prctl(PR_GET_TID_ADDRESS, &v));
    R(prctl(PR_MCE_KILL_GET, 0, 0, 0, 0));
    R(prctl(PR_GET_FPEMU, &v));
    R(prctl(PR_GET_ENDIAN, &v));
    R(prctl(PR_GET_UNALIGN, &v));
    R(prctl(PR_GET_SECCOMP));
    R(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0));
    R(prctl(PR_GET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, 0, 0, 0) >= 0);
    R(prctl(PR_GET_SPECULATION_CTRL, 99, 0, 0, 0));
    R(prctl(PR_GET_IO_FLUSHER, 0, 0, 0, 0) >= 0 || errno == EPERM);
    R(prctl(PR_SET_MM, 0, 0, 0, 0));
    R(prctl(99999));
    R(prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, 1, 4096, "name"));
    R(prctl(0x41555856, name, 16, 0, 0));
    R(prctl(65, 0, 0, 0, 0));
    R(prctl(66, 0, 0, 0, 0));
}

CASE(tsc_faults)
{
    reap("rdtsc", CHILD({
        R(prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
        int v = 0;
        prctl(PR_GET_TSC, &v);
        say("%d", v);
        __builtin_ia32_rdtsc();
    }));
}

CASE(arch_prctls)
{
    unsigned long v = 0;
    R(syscall(SYS_arch_prctl, 0x1003, &v));
    say("fs %d", v != 0);
    R(syscall(SYS_arch_prctl, 0x1001, 0x1234));
    R(syscall(SYS_arch_prctl, 0x1004, &v));
    say("gs %lx", v);
    R(syscall(SYS_arch_prctl, 0x1001, 1ul << 63));
    R(syscall(SYS_arch_prctl, 0x1001, 0));
    R(syscall(SYS_arch_prctl, 0x1003, nowhere()));
    R(syscall(SYS_arch_prctl, 0x9999, 0));
    R(syscall(SYS_arch_prctl, 0x1011, 0));
    reap("no cpuid", CHILD({
        if (syscall(SYS_arch_prctl, 0x1012, 0) == 0) {
            R(syscall(SYS_arch_prctl, 0x1011, 0));
            unsigned a = 0;
            __asm__ volatile("cpuid" : "+a"(a)::"ebx", "ecx", "edx");
        }
    }));
}

CASE(limits)
{
    struct rlimit l;
    for (int i = 0; i < 16; i++) {
        l.rlim_cur = 1;
        long got = getrlimit(i, &l);
        say("limit %d: %ld %ld %ld", i, got, (long)l.rlim_cur, (long)l.rlim_max);
    }
    R(getrlimit(99, &l));
    l = (struct rlimit){100, 50};
    R(setrlimit(RLIMIT_CORE, &l));
    l = (struct rlimit){0, 0};
    R(setrlimit(RLIMIT_CORE, &l));
    struct rlimit old;
    l = (struct rlimit){64, 64};
    R(prlimit(0, RLIMIT_SIGPENDING, &l, &old));
    R(prlimit(getpid(), RLIMIT_SIGPENDING, NULL, &old));
    say("%ld", (long)old.rlim_cur);
    int n = 0;
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &s, NULL);
    union sigval v = {0};
    while (n < 200 && sigqueue(getpid(), SIGRTMIN, v) == 0)
        n++;
    say("queued %d %s", n > 0 && n <= 64, strerrorname_np(errno));
    R(prlimit(INT_MAX, RLIMIT_CORE, NULL, &old));
    R(getpriority(PRIO_PROCESS, 0));
    R(setpriority(PRIO_PROCESS, 0, 5));
    R(getpriority(PRIO_PROCESS, 0));
    R(nice(3));
    R(getpriority(99, 0));
    R(syscall(SYS_ioprio_get, 1, 0));
    R(syscall(SYS_ioprio_set, 1, 0, (2 << 13) | 5));
    R(syscall(SYS_ioprio_get, 1, 0));
    R(syscall(SYS_ioprio_set, 99, 0, 0));
    struct rusage u;
    R(getrusage(RUSAGE_SELF, &u));
    R(getrusage(RUSAGE_CHILDREN, &u));
    R(getrusage(RUSAGE_THREAD, &u));
    R(getrusage(77, &u));
    R(getrusage(RUSAGE_SELF, nowhere()));
}

CASE(processor_time_limit)
{
    reap("child", CHILD({
        struct rlimit l = {1, 2};
        setrlimit(RLIMIT_CPU, &l);
        for (volatile long i = 0;; i++) {
        }
    }));
}

CASE(names_of_the_machine)
{
    struct utsname u;
    R(uname(&u));
    say("%s %s %s", u.sysname, u.release, u.machine);
    R(uname(nowhere()));
    R(personality(0xffffffff));
    R(personality(ADDR_NO_RANDOMIZE));
    R(personality(0xffffffff));
    R(personality(PER_LINUX));
    reap("uname26", CHILD({
        personality(0x0020000);
        uname(&u);
        say("%.3s", u.release);
    }));
    char host[65];
    R(gethostname(host, sizeof host));
    R(sethostname(host, (size_t)-1));
    R(setdomainname(nowhere(), 5));
    R(syscall(SYS_reboot, 1, 2, 3, 4));
    R(syscall(SYS_init_module, NULL, 0, "") < 0);
    R(syscall(SYS_delete_module, "none", 0) < 0);
    R(syscall(SYS_acct, "/none"));
    R(syscall(SYS_swapon, "/none", 0));
    R(syscall(SYS_iopl, 4));
    R(syscall(SYS_ioperm, 100000, 1, 1));
    R(syscall(SYS_lookup_dcookie, 1, host, 10));
    R(syscall(SYS__sysctl, host));
    R(syscall(SYS_nfsservctl, 0, 0, 0));
    for (int i = 0; i < 8; i++) {
        static const int none[] = {SYS_tuxcall, SYS_security, SYS_getpmsg, SYS_putpmsg, SYS_afs_syscall, SYS_epoll_ctl_old, SYS_vserver, 10000};
        say("none %d: %ld %s", i, syscall(none[i], 0, 0, 0, 0, 0, 0), strerrorname_np(errno));
    }
    R(syscall(-1));
    R(syscall(470, 0, 0, 0, 0, 0, 0) < 0);
    R(syscall(511 + 1, 0));
}

CASE(self_in_proc)
{
    char bytes[4096] = "";
    int fd = open("/proc/self/comm", O_RDONLY);
    R(read(fd, bytes, 100));
    say("%s", strtok(bytes, "\n"));
    fd = open("/proc/self/cmdline", O_RDONLY);
    memset(bytes, 0, sizeof bytes);
    R(read(fd, bytes, 100) > 0);
    say("%s", strrchr(bytes, '/') ? strrchr(bytes, '/') : bytes);
    long n = readlink("/proc/self/exe", bytes, sizeof bytes - 1);
    bytes[n > 0 ? n : 0] = 0;
    say("%s", strrchr(bytes, '/') ? strrchr(bytes, '/') : bytes);
    FILE *f = fopen("/proc/self/status", "r");
    while (fgets(bytes, sizeof bytes, f))
        if (!strncmp(bytes, "Threads", 7) || !strncmp(bytes, "Sig", 3) || !strncmp(bytes, "Name", 4) || !strncmp(bytes, "TracerPid", 9) ||
            !strncmp(bytes, "Seccomp", 7) || !strncmp(bytes, "NoNewPrivs", 10) || !strncmp(bytes, "CapEff", 6) || !strncmp(bytes, "FDSize", 6))
            if (strncmp(bytes, "SigQ", 4) && strncmp(bytes, "FDSize", 6))
                say("%s", strtok(bytes, "\n"));
    fclose(f);
    fd = open("/proc/self/oom_score_adj", O_RDWR);
    R(write(fd, "10", 2));
    f = fopen("/proc/self/limits", "r");
    while (fgets(bytes, sizeof bytes, f))
        say("%s", strtok(bytes, "\n"));
    fclose(f);
    fd = open("/proc/self/fdinfo/1", O_RDONLY);
    R(read(fd, bytes, 3));
    fd = open("/proc/self/stat", O_RDONLY);
    n = read(fd, bytes, sizeof bytes);
    int fields = 0;
    for (long i = 0; i < n; i++)
        fields += bytes[i] == ' ';
    say("fields %d", fields);
    R(access("/proc/self/task", F_OK));
    R(open("/proc/self/wchan", O_RDONLY) >= 0);
    R(open("/proc/self/nothing", O_RDONLY));
    R(open("/proc/999999999/stat", O_RDONLY));
}
