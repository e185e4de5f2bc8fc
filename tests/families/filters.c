/* Filters of system calls: seccomp(2) in both modes, each action, the errors of its programs, and
 * what forks, threads and new images inherit. Random programs are compared with the kernel's
 * answers. */
#include "family.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/uio.h>

enum { STRICT = 0, LIST = 1, ASK_ACTION = 2, ASK_SIZES = 3, TSYNC = 1, TSYNC_ESRCH = 16 };

#define WORD(field) offsetof(struct seccomp_data, field)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(field))
#define GIVE(value) BPF_STMT(BPF_RET | BPF_K, value)
#define ON(number, value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), GIVE(value)

static long install_steps(struct sock_filter *steps, unsigned short count, int flags)
{
    struct sock_fprog program = {count, steps};
    return syscall(SYS_seccomp, LIST, flags, &program);
}

#define INSTALL_WITH(flags, ...)                                                                   \
    ({                                                                                             \
        struct sock_filter steps_[] = {LOAD(nr), __VA_ARGS__, GIVE(SECCOMP_RET_ALLOW)};            \
        install_steps(steps_, sizeof steps_ / sizeof *steps_, flags);                              \
    })
#define INSTALL(...) INSTALL_WITH(0, __VA_ARGS__)

static void give_up_rights(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* --- actions ---------------------------------------------------------------------------------- */

/* Also calls that a replay would make again, that a handler of the engine answers, that wait, and
 * that never return. */
CASE(errors)
{
    int fds[2];
    char byte;
    give_up_rights();
    R(pipe(fds));
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | 7), ON(SYS_mprotect, SECCOMP_RET_ERRNO | EPERM),
              ON(SYS_uname, SECCOMP_RET_ERRNO), ON(SYS_getuid, SECCOMP_RET_ERRNO | 0xffff),
              ON(SYS_mmap, SECCOMP_RET_ERRNO | ENOMEM), ON(SYS_brk, SECCOMP_RET_ERRNO | 1),
              ON(SYS_getpid, SECCOMP_RET_ERRNO | EINTR), ON(SYS_read, SECCOMP_RET_ERRNO | EINTR),
              ON(SYS_fork, SECCOMP_RET_ERRNO | EAGAIN), ON(SYS_vfork, SECCOMP_RET_ERRNO | 1),
              ON(SYS_execve, SECCOMP_RET_ERRNO | EACCES), ON(SYS_close, SECCOMP_RET_ERRNO),
              ON(SYS_exit, SECCOMP_RET_ERRNO | 3), ON(SYS_dup, SECCOMP_RET_ERRNO),
              ON(SYS_rt_sigreturn, SECCOMP_RET_ALLOW), ON(SYS_kill, SECCOMP_RET_ERRNO | ESRCH),
              ON(SYS_set_tid_address, SECCOMP_RET_ERRNO | 9), ON(470, SECCOMP_RET_ERRNO | 70)));
    SYS(getppid);
    SYS(mprotect, 0, 4096, 0);
    SYS(uname, 8);
    SYS(getuid);
    SYS(mmap, 0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    SYS(brk, 0);
    SYS(getpid);
    SYS(read, fds[0], &byte, 1);
    SYS(fork);
    SYS(vfork);
    SYS(execve, "/bin/true", 0, 0);
    R(syscall(SYS_close, fds[1]));
    R(write(fds[1], "x", 1));
    SYS(exit, 5);
    SYS(dup, 1);
    SYS(kill, 0, 9);
    SYS(set_tid_address, 0);
    R(syscall(470));
    R(prctl(PR_GET_SECCOMP));
}

static volatile sig_atomic_t traps;

static void on_trap(int signal, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    greg_t *regs = c->uc_mcontext.gregs;
    say("%s: code %d, error %d, call %d, machine %x, at %ld, rax %lld, rcx %ld", sigabbrev_np(signal),
        info->si_code, info->si_errno, info->si_syscall, info->si_arch,
        (long)info->si_call_addr - (long)regs[REG_RIP], regs[REG_RAX],
        (long)(regs[REG_RCX] - regs[REG_RIP]));
    traps++;
    regs[REG_RAX] = -ENOTTY;
}

static void catch_traps(void)
{
    struct sigaction a = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &a, NULL);
}

CASE(traps)
{
    catch_traps();
    give_up_rights();
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_TRAP | 99), ON(SYS_munmap, SECCOMP_RET_TRAP | 5),
              ON(SYS_clone, SECCOMP_RET_TRAP), ON(SYS_fork, SECCOMP_RET_TRAP | 3),
              ON(SYS_execve, SECCOMP_RET_TRAP | 4), ON(SYS_exit, SECCOMP_RET_TRAP | 6)));
    SYS(getppid);
    SYS(munmap, 0x10000, 4096);
    SYS(fork);
    SYS(execve, "/bin/true", 0, 0);
    SYS(exit, 3);
    for (int i = 0; i < 5; i++)
        syscall(SYS_getppid);
    say("%d traps", traps);
}

static void trap_with(void (*prepare)(void))
{
    give_up_rights();
    prepare();
    INSTALL(ON(SYS_getppid, SECCOMP_RET_TRAP));
    syscall(SYS_getppid);
    say("goes on after %d traps", traps);
}

static void block(void)
{
    sigset_t all;
    catch_traps();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

static void ignore(void)
{
    signal(SIGSYS, SIG_IGN);
}

static void leave(void)
{
}

CASE(traps_nobody_takes)
{
    static void (*const ways[])(void) = {block, ignore, leave, catch_traps};
    for (int i = 0; i < 4; i++)
        reap("it", CHILD(trap_with(ways[i])));
}

/* A trap and another signal at the same time. */
static void on_alarm(int signal)
{
    traps += signal == SIGALRM ? 1000 : 0;
}

CASE(traps_among_signals)
{
    struct sigaction a = {.sa_handler = on_alarm};
    sigset_t alarms;
    catch_traps();
    sigaction(SIGALRM, &a, NULL);
    give_up_rights();
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_TRAP | 1)));
    for (int i = 0; i < 10; i++) {
        sigprocmask(SIG_BLOCK, &alarms, NULL);
        kill(getpid(), SIGALRM);
        sigprocmask(SIG_UNBLOCK, &alarms, NULL);
        syscall(SYS_getppid);
    }
    say("%d", traps);
}

CASE(kills)
{
    static const unsigned actions[] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, 0x12340000,
                                       SECCOMP_RET_TRACE, SECCOMP_RET_LOG, SECCOMP_RET_USER_NOTIF};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        siginfo_t info;
        pid_t child = CHILD(catch_traps(); give_up_rights(); INSTALL(ON(SYS_getuid, actions[i]));
                            say("%ld", syscall(SYS_getuid) ? -1l : 0l));
        waitid(P_PID, child, &info, WEXITED | WNOWAIT);
        say("%x: status %d", actions[i], info.si_status);
        reap("it", child);
    }
}

static void *is_killed(void *unused)
{
    (void)unused;
    INSTALL(ON(SYS_getppid, SECCOMP_RET_KILL_THREAD));
    syscall(SYS_getppid);
    say("goes on");
    return NULL;
}

static int threads_left(void)
{
    char line[200];
    int count = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "Threads: %d", &count);
    if (f)
        fclose(f);
    return count;
}

CASE(killed_thread)
{
    pthread_t t;
    give_up_rights();
    pthread_create(&t, NULL, is_killed, NULL);
    for (int i = 0; i < 5000 && threads_left() > 1; i++)
        pause_ms(1);
    say("%d thread is left", threads_left());
    R(prctl(PR_GET_SECCOMP));
}

/* --- modes and lists -------------------------------------------------------------------------- */

static void stay_strict(int number)
{
    if (syscall(SYS_seccomp, STRICT, 0, NULL))
        _exit(9);
    if (write(1, "modes: strict\n", 14) == 14)
        syscall(number, 4);
}

CASE(modes)
{
    reap("exit", CHILD(stay_strict(SYS_exit)));
    reap("exit_group", CHILD(stay_strict(SYS_exit_group)));
    reap("getppid", CHILD(stay_strict(SYS_getppid)));
    reap("prctl", CHILD(prctl(PR_SET_SECCOMP, 1); prctl(PR_GET_SECCOMP)));
    give_up_rights();
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | 1)));
    R(syscall(SYS_seccomp, STRICT, 0, NULL));
    R(prctl(PR_SET_SECCOMP, 1));
    R(prctl(PR_SET_SECCOMP, 0));
    R(prctl(PR_GET_SECCOMP));
}

/* The strictest answer counts; of two alike the newest. */
CASE(several)
{
    give_up_rights();
    catch_traps();
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | 1), ON(SYS_getuid, SECCOMP_RET_LOG)));
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | 2)));
    SYS(getppid);
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_TRAP | 8), ON(SYS_getuid, SECCOMP_RET_ERRNO | 3)));
    SYS(getppid);
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_TRACE), ON(SYS_getuid, SECCOMP_RET_ERRNO | 4)));
    SYS(getppid);
    SYS(getuid);
}

static void install_all(struct sock_filter step, unsigned short length)
{
    static struct sock_filter steps[BPF_MAXINSNS];
    long result = 0;
    int count = 0;
    give_up_rights();
    for (int i = 0; i < length; i++)
        steps[i] = step;
    steps[length - 1] = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
    while (count < 4000 && (result = install_steps(steps, length, 0)) == 0)
        count++;
    say("%d of %d are installed", count, length);
    said("the next", result);
}

/* The kernel counts the steps of what it makes of a program. */
CASE(too_many)
{
    static const struct sock_filter steps[] = {
        GIVE(SECCOMP_RET_ALLOW),          BPF_STMT(BPF_RET | BPF_A, 0),
        LOAD(nr),                         BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0),
        BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 3), BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 5, 0, 0),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, ~0u, 0, 0), BPF_STMT(BPF_ST, 3),
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        reap("it", CHILD(install_all(steps[i], BPF_MAXINSNS)));
    static const struct sock_filter jumps[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 5, 1, 1), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 5, 0, 1),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 5, 0, 1), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_X, 0, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x80000000, 1, 1),
    };
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        reap("it", CHILD({
                 struct sock_filter five[] = {jumps[i], GIVE(SECCOMP_RET_ALLOW), GIVE(SECCOMP_RET_ALLOW)};
                 int count = 0;
                 give_up_rights();
                 while (count < 4000 && install_steps(five, 3, 0) == 0)
                     count++;
                 say("%d jumps are installed", count);
             }));
}

CASE(arguments)
{
    struct sock_filter steps[] = {
        LOAD(nr),       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_dup2, 0, 3),
        LOAD(args[1]),  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 100, 0, 1),
        GIVE(SECCOMP_RET_ERRNO | EDOM), GIVE(SECCOMP_RET_ALLOW),
    };
    give_up_rights();
    R(install_steps(steps, 6, 0));
    R(dup2(1, 50));
    R(dup2(1, 150));
    R(syscall(SYS_dup2, 1, 0x100000032)); /* the upper half is not an argument of the filter's */
    struct sock_filter by_place[] = {LOAD(instruction_pointer), GIVE(SECCOMP_RET_ALLOW)};
    R(install_steps(by_place, 2, 0));
}

/* --- inheritance ------------------------------------------------------------------------------ */

CASE(children)
{
    char path[PATH_MAX] = "";
    give_up_rights();
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        say("no path");
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | 44)));
    reap("fork", CHILD(SYS(getppid)));
    reap("its own", CHILD(INSTALL(ON(SYS_getuid, SECCOMP_RET_ERRNO | 45)); SYS(getuid); SYS(getppid)));
    say("%ld", syscall(SYS_getuid) == -1 ? -1l : 0l);
    pid_t child = vfork();
    if (!child)
        execl(path, path, "after_exec", NULL);
    reap("vfork and exec", child);
    reap("exec", CHILD(execl(path, path, "after_exec", NULL)));
}

CASE(after_exec)
{
    R(prctl(PR_GET_SECCOMP));
    say("%d", syscall(SYS_getppid) == -1 ? errno : 0);
}

static pthread_barrier_t barrier;

static void *looks(void *own)
{
    if (own)
        INSTALL(ON(SYS_getuid, SECCOMP_RET_ALLOW));
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    say("another thread: %ld, mode %d, rights given up %d", syscall(SYS_getppid) == -1 ? -1l : 0l,
        prctl(PR_GET_SECCOMP), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    return NULL;
}

static void synchronize(void *own, int flags)
{
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    give_up_rights();
    pthread_create(&t, NULL, looks, own);
    pthread_barrier_wait(&barrier);
    long result = INSTALL_WITH(flags, ON(SYS_getppid, SECCOMP_RET_ERRNO | 33));
    say("flags %d: %s", flags, result > 0 ? "a thread's id" : result ? strerrorname_np(errno) : "done");
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
    say("this one: %ld", syscall(SYS_getppid) == -1 ? -1l : 0l);
}

CASE(threads)
{
    reap("not", CHILD(synchronize(NULL, 0)));
    reap("all", CHILD(synchronize(NULL, TSYNC)));
    reap("others have one", CHILD(synchronize(&barrier, TSYNC)));
    reap("with an error", CHILD(synchronize(&barrier, TSYNC | TSYNC_ESRCH)));
}

/* --- errors of the calls ---------------------------------------------------------------------- */

CASE(bad_calls)
{
    struct sock_filter all[] = {GIVE(SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, all};
    void *no = nowhere();
    R(syscall(SYS_seccomp, LIST, 0, NULL));
    R(syscall(SYS_seccomp, LIST, 0, no));
    R(syscall(SYS_seccomp, LIST, 0x100, &program));
    R(syscall(SYS_seccomp, 9, 0, &program));
    R(syscall(SYS_seccomp, STRICT, 1, NULL));
    R(syscall(SYS_seccomp, STRICT, 0, no));
    R(prctl(PR_SET_SECCOMP, 7, &program));
    R(prctl(PR_SET_SECCOMP, 2, NULL));
    program.len = 0;
    R(syscall(SYS_seccomp, LIST, 0, &program));
    program.len = BPF_MAXINSNS + 1;
    R(syscall(SYS_seccomp, LIST, 0, &program));
    program.len = 1;
    program.filter = no;
    give_up_rights();
    R(syscall(SYS_seccomp, LIST, 0, &program));
    program.len = PAGE / sizeof *all + 1;
    program.filter = two_pages_one_gone();
    R(syscall(SYS_seccomp, LIST, 0, &program));
    R(prctl(PR_GET_SECCOMP));
}

CASE(questions)
{
    static const unsigned actions[] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP,
                                       SECCOMP_RET_ERRNO, SECCOMP_RET_TRACE, SECCOMP_RET_LOG,
                                       SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW + 1, 12};
    unsigned short sizes[3] = {0};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        R(syscall(SYS_seccomp, ASK_ACTION, 0, &actions[i]));
    R(syscall(SYS_seccomp, ASK_ACTION, 1, &actions[0]));
    R(syscall(SYS_seccomp, ASK_ACTION, 0, NULL));
    R(syscall(SYS_seccomp, ASK_SIZES, 0, sizes));
    R(syscall(SYS_seccomp, ASK_SIZES, 1, sizes));
    R(syscall(SYS_seccomp, ASK_SIZES, 0, NULL));
    say("%d %d %d", sizes[0], sizes[1], sizes[2]);
}

/* Without giving up rights, a user may not install any. */
CASE(rights)
{
    if (setuid(65534))
        say("stays who it is");
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | 1)));
    give_up_rights();
    R(INSTALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | 1)));
    SYS(getppid);
    char line[200];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "Seccomp", 7) || !strncmp(line, "NoNewPrivs", 10))
            say("%.*s", (int)strcspn(line, "\n"), line);
}

/* --- random programs -------------------------------------------------------------------------- */

static unsigned random_state;

static unsigned random_below(unsigned limit)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 8) % limit;
}

static unsigned random_operand(void)
{
    static const unsigned some[] = {0, 1, 2, 4, 31, 32, 33, 60, 64, 110, 0x7fffffff, 0x80000000, ~0u};
    return random_below(3) ? random_below(16) * (random_below(2) ? 4 : 1)
                           : some[random_below(sizeof some / sizeof *some)];
}

static unsigned short random_code(void)
{
    static const unsigned short codes[] = {
        0x20, 0x20, 0x20, 0x00, 0x60, 0x80, 0x01, 0x61, 0x81, 0x02, 0x02, 0x03, 0x04, 0x0c, 0x14, 0x1c,
        0x24, 0x2c, 0x34, 0x3c, 0x44, 0x4c, 0x54, 0x5c, 0x64, 0x6c, 0x74, 0x7c, 0x84, 0xa4, 0xac, 0x05,
        0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x45, 0x4d, 0x07, 0x87, 0x06, 0x16,
    };
    return random_below(300) ? codes[random_below(sizeof codes / sizeof *codes)]
                             : (unsigned short)random_below(0x200);
}

/* A program that computes something of getppid's arguments, and shows it as an error. */
static unsigned short make_random(struct sock_filter *steps)
{
    unsigned short n = 0, count = (unsigned short)(2 + random_below(12));
    steps[n++] = (struct sock_filter)LOAD(nr);
    steps[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 1, 0);
    steps[n++] = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
    for (int i = 0; i < 3; i++) /* most loads of memory are of words that were written */
        steps[n++] = (struct sock_filter)BPF_STMT(BPF_ST, (unsigned)i);
    for (unsigned short i = 0; i < count; i++) {
        unsigned short code = random_code();
        unsigned operand = code == 0x05 ? random_below(3) : random_operand();
        if ((code & 7) == 6)
            operand = SECCOMP_RET_ERRNO | random_below(100);
        else if (code == 0x20 && (operand == 8 || operand == 12)) /* the place of the call */
            operand = 16;
        else if (random_below(20) && (code == 0x60 || code == 0x61))
            operand = random_below(3);
        steps[n++] = (struct sock_filter){code, (unsigned char)random_below(4),
                                          (unsigned char)random_below(4), operand};
    }
    steps[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7f);
    steps[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO);
    steps[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
    return n;
}

CASE(random_programs)
{
    give_up_rights();
    for (unsigned seed = 1; seed <= 400; seed++) {
        struct sock_filter steps[64];
        random_state = seed;
        unsigned short count = make_random(steps);
        pid_t child = CHILD({
            int answer = 200;
            if (install_steps(steps, count, 0) == 0)
                answer = syscall(SYS_getppid, 1, ~0ul, 3l << 33, 4, 5, 6) == -1 ? errno & 0x7f : 0;
            _exit(answer);
        });
        int status;
        waitpid(child, &status, 0);
        say("%u: %x", seed, status);
    }
}
