/* Signals: delivery, masks, queues, stacks, flags, restarts. */
#include "family.h"

#include <poll.h>
#include <setjmp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/ucontext.h>

static volatile int count, last, code, value, nested, handler_errno;
static volatile void *address;

static void note(int signal, siginfo_t *info, void *context)
{
    (void)context;
    count++;
    last = signal;
    code = info->si_code;
    value = info->si_value.sival_int;
    address = info->si_addr;
}

static void install(int signal, int flags)
{
    struct sigaction a = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | flags};
    sigaction(signal, &a, NULL);
}

static void block(int how, int signal)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, signal);
    sigprocmask(how, &s, NULL);
}

CASE(queue_order)
{
    static char order[64];
    for (int s = SIGRTMIN; s < SIGRTMIN + 4; s++) {
        install(s, 0);
        block(SIG_BLOCK, s);
    }
    (void)order;
    for (int i = 0; i < 8; i++) {
        union sigval v = {.sival_int = i};
        R(sigqueue(getpid(), SIGRTMIN + 3 - i % 4, v));
    }
    sigset_t all, old;
    sigfillset(&all);
    for (;;) {
        siginfo_t info;
        struct timespec none = {0, 0};
        int got = sigtimedwait(&all, &info, &none);
        if (got < 0)
            break;
        say("signal %d value %d code %d", got - SIGRTMIN, info.si_value.sival_int, info.si_code);
    }
    R(sigprocmask(SIG_SETMASK, NULL, &old));
    say("blocked %d", sigismember(&old, SIGRTMIN));
}

CASE(standard_not_queued)
{
    install(SIGUSR1, 0);
    block(SIG_BLOCK, SIGUSR1);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
    sigset_t pending;
    sigpending(&pending);
    say("pending %d", sigismember(&pending, SIGUSR1));
    block(SIG_UNBLOCK, SIGUSR1);
    say("count %d", count);
}

CASE(sigqueue_to_other)
{
    install(SIGRTMIN + 1, 0);
    block(SIG_BLOCK, SIGRTMIN + 1);
    pid_t child = CHILD({
        sigset_t s;
        sigemptyset(&s);
        sigaddset(&s, SIGRTMIN + 1);
        siginfo_t info;
        R(sigwaitinfo(&s, &info) == SIGRTMIN + 1);
        say("value %d code %d from parent %d", info.si_value.sival_int, info.si_code, info.si_pid == getppid());
    });
    union sigval v = {.sival_int = 1234};
    R(sigqueue(child, SIGRTMIN + 1, v));
    reap("child", child);
}

CASE(rt_sigqueueinfo_forms)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGUSR1;
    info.si_code = SI_QUEUE;
    info.si_value.sival_int = 77;
    install(SIGUSR1, 0);
    R(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
    say("count %d code %d value %d", count, code, value);
    R(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGUSR1, &info));
    say("count %d code %d value %d", count, code, value);
    info.si_code = SI_USER;
    R(syscall(SYS_rt_sigqueueinfo, getppid(), SIGUSR1, &info));
    R(syscall(SYS_rt_sigqueueinfo, getpid(), 0, &info));
    R(syscall(SYS_rt_sigqueueinfo, getpid(), 65, &info));
    R(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, nowhere()));
    R(syscall(SYS_rt_tgsigqueueinfo, -1, gettid(), SIGUSR1, &info));
    info.si_code = SI_TIMER;
    R(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
    say("count %d code %d value %d", count, code, value);
}

CASE(kill_errors)
{
    R(kill(getpid(), 0));
    R(kill(getpid(), 65));
    R(kill(getpid(), -1));
    R(kill(INT_MAX, 0));
    R(kill(-INT_MAX, SIGTERM));
    SYS(tkill, 0, SIGTERM);
    SYS(tkill, -5, SIGTERM);
    SYS(tgkill, 1, 0x7fffffff, SIGTERM);
    SYS(tgkill, -1, 1, SIGTERM);
}

CASE(sigaction_errors)
{
    struct sigaction a = {.sa_handler = SIG_IGN}, old;
    R(sigaction(SIGKILL, &a, NULL));
    R(sigaction(SIGSTOP, &a, NULL));
    R(sigaction(SIGKILL, NULL, &old));
    SYS(rt_sigaction, 0, NULL, &old, 8);
    SYS(rt_sigaction, 65, NULL, &old, 8);
    SYS(rt_sigaction, SIGUSR1, NULL, &old, 16);
    SYS(rt_sigaction, SIGUSR1, NULL, NULL, 8);
    R(syscall(SYS_rt_sigaction, SIGUSR1, nowhere(), NULL, 8));
    R(syscall(SYS_rt_sigaction, SIGUSR1, NULL, nowhere(), 8));
    SYS(rt_sigprocmask, 17, &a, NULL, 8);
    SYS(rt_sigprocmask, 17, NULL, NULL, 8);
    SYS(rt_sigprocmask, SIG_BLOCK, NULL, NULL, 4);
    R(syscall(SYS_rt_sigprocmask, SIG_BLOCK, nowhere(), NULL, 8));
    R(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, nowhere(), 8));
    R(syscall(SYS_rt_sigpending, nowhere(), 8));
    SYS(rt_sigpending, &old, 16);
    R(syscall(SYS_rt_sigsuspend, nowhere(), 8));
    SYS(rt_sigsuspend, &old, 7);
    R(syscall(SYS_rt_sigtimedwait, nowhere(), NULL, NULL, 8));
    sigset_t s;
    sigemptyset(&s);
    struct timespec bad = {0, 1000000000}, none = {0, 0}, negative = {-1, 0};
    R(syscall(SYS_rt_sigtimedwait, &s, NULL, &bad, 8));
    R(syscall(SYS_rt_sigtimedwait, &s, NULL, &negative, 8));
    R(syscall(SYS_rt_sigtimedwait, &s, NULL, nowhere(), 8));
    R(syscall(SYS_rt_sigtimedwait, &s, NULL, &none, 8));
    R(syscall(SYS_rt_sigtimedwait, &s, NULL, &none, 4));
    sigaddset(&s, SIGUSR2);
    block(SIG_BLOCK, SIGUSR2);
    raise(SIGUSR2);
    R(syscall(SYS_rt_sigtimedwait, &s, nowhere(), &none, 8));
    R(syscall(SYS_rt_sigtimedwait, &s, NULL, &none, 8));
}

CASE(flags_kept)
{
    struct sigaction a = {.sa_handler = SIG_IGN, .sa_flags = SA_RESTART | SA_NODEFER | SA_ONSTACK | SA_NOCLDSTOP}, old;
    sigfillset(&a.sa_mask);
    R(sigaction(SIGUSR1, &a, NULL));
    R(sigaction(SIGUSR1, NULL, &old));
    say("flags %x mask has KILL %d TERM %d", old.sa_flags & ~0x04000000, sigismember(&old.sa_mask, SIGKILL), sigismember(&old.sa_mask, SIGTERM));
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } raw = {(void *)1, 0xffffffff, NULL, ~0ul}, back;
    R(syscall(SYS_rt_sigaction, SIGUSR1, &raw, NULL, 8));
    R(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &back, 8));
    say("raw %lx %lx", back.flags, back.mask);
}

static void nest(int signal)
{
    nested++;
    if (nested < 4)
        raise(signal);
    count++;
}

CASE(nodefer)
{
    struct sigaction a = {.sa_handler = nest, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    say("nested %d count %d", nested, count);
    nested = count = 0;
    a.sa_flags = 0;
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    say("nested %d count %d", nested, count);
    a.sa_flags = SA_RESETHAND;
    sigaction(SIGUSR2, &a, NULL);
    nested = 4;
    raise(SIGUSR2);
    struct sigaction now;
    sigaction(SIGUSR2, NULL, &now);
    say("reset %d", now.sa_handler == SIG_DFL);
}

static char stack_bytes[65536];
static volatile int on_stack;

static void where(int signal)
{
    char here;
    stack_t now;
    (void)signal;
    on_stack = &here >= stack_bytes && &here < stack_bytes + sizeof stack_bytes;
    sigaltstack(NULL, &now);
    last = now.ss_flags;
    stack_t other = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes};
    code = sigaltstack(&other, NULL) ? errno : 0;
}

CASE(altstack)
{
    stack_t s = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes}, old;
    R(sigaltstack(&s, NULL));
    struct sigaction a = {.sa_handler = where, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    say("on stack %d flags %d error %d", on_stack, last, code);
    R(sigaltstack(NULL, &old));
    say("flags %d size %zu", old.ss_flags, old.ss_size);
    s.ss_flags = (int)(1u << 31);
    R(sigaltstack(&s, NULL));
    raise(SIGUSR1);
    say("autodisarm: on stack %d flags %x error %d", on_stack, (unsigned)last, code);
    s.ss_flags = SS_DISABLE;
    R(sigaltstack(&s, NULL));
    raise(SIGUSR1);
    say("disabled: on stack %d flags %d", on_stack, last);
    s.ss_flags = 0;
    s.ss_size = 100;
    R(sigaltstack(&s, NULL));
    s.ss_flags = 77;
    s.ss_size = sizeof stack_bytes;
    R(sigaltstack(&s, NULL));
    R(sigaltstack(nowhere(), NULL));
    R(sigaltstack(NULL, nowhere()));
}

static sigjmp_buf back;
static void jump(int signal, siginfo_t *info, void *context)
{
    (void)context;
    last = signal;
    code = info->si_code;
    address = info->si_addr;
    siglongjmp(back, 1);
}

static void recurse(int n)
{
    volatile char room[4096];
    room[0] = (char)n;
    recurse(n + 1);
    room[1] = room[0];
}

CASE(stack_overflow_altstack)
{
    stack_t s = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes};
    sigaltstack(&s, NULL);
    struct sigaction a = {.sa_sigaction = jump, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGSEGV, &a, NULL);
    for (int i = 0; i < 3; i++) {
        if (!sigsetjmp(back, 1))
            recurse(0);
        else
            say("overflow: signal %d code %d", last, code);
    }
}

CASE(stack_overflow_kills)
{
    reap("child", CHILD(recurse(0)));
    reap("with a handler but no stack", CHILD({
        install(SIGSEGV, 0);
        recurse(0);
    }));
}

#define FAULT(what)                                                                                                    \
    do {                                                                                                               \
        if (!sigsetjmp(back, 1)) {                                                                                     \
            what;                                                                                                      \
            say("%s: nothing", #what);                                                                                    \
        } else                                                                                                         \
            say("%s: signal %d code %d", #what, last, code);                                                              \
    } while (0)

CASE(faults)
{
    struct sigaction a = {.sa_sigaction = jump, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int all[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (int i = 0; i < 5; i++)
        sigaction(all[i], &a, NULL);
    char *ro = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile int zero = 0;
    FAULT(*(volatile char *)0 = 1);
    say("address %p", address);
    FAULT(*(volatile char *)ro = 1);
    say("address right %d", address == ro);
    FAULT((void)*(volatile char *)none);
    FAULT((void)*(volatile char *)0x8000000000000000);
    say("address %p", address);
    FAULT((void)*(volatile char *)0xffffffffff600000);
    say("address %p", address);
    FAULT((void)*(volatile char *)0xffffffff80000000);
    say("address %p", address);
    FAULT((void)(1 / zero));
    FAULT(__asm__ volatile("ud2"));
    FAULT(__asm__ volatile("int3"));
    FAULT(__asm__ volatile("hlt"));
    FAULT(__asm__ volatile("int $0x21"));
    FAULT(__asm__ volatile("cli"));
    FAULT(__asm__ volatile("in $0x60, %%al" ::: "al"));
    FAULT(__asm__ volatile("mov %%cr0, %%rax" ::: "rax"));
    FAULT(__asm__ volatile("rdmsr" ::: "eax", "edx"));
    FAULT(__asm__ volatile("wbinvd"));
    FAULT(__asm__ volatile("lgdt (%0)" ::"r"(stack_bytes)));
    FAULT(__asm__ volatile("movaps 1(%0), %%xmm0" ::"r"((uintptr_t)stack_bytes & ~15ul) : "xmm0"));
    FAULT(((void (*)(void))0x10)());
    say("address %p", address);
    FAULT(((void (*)(void))(uintptr_t)ro)());
    say("address right %d", address == ro);
    FAULT(((void (*)(void))0x8000000000000010)());
    say("address %p", address);
    FAULT(__asm__ volatile("movl $0, %%eax; cpuid" ::: "eax", "ebx", "ecx", "edx"));
    FAULT(__asm__ volatile(".byte 0xf1"));
    FAULT(__asm__ volatile("int $4"));
    FAULT(__asm__ volatile(".byte 0x0f, 0xff, 0xc0"));
}

CASE(ignored_fault_kills)
{
    reap("SIG_IGN", CHILD({
        signal(SIGSEGV, SIG_IGN);
        *(volatile char *)0 = 1;
    }));
    reap("blocked", CHILD({
        install(SIGSEGV, 0);
        block(SIG_BLOCK, SIGSEGV);
        *(volatile char *)0 = 1;
    }));
    reap("blocked ILL", CHILD({
        install(SIGILL, 0);
        block(SIG_BLOCK, SIGILL);
        __asm__ volatile("ud2");
    }));
    reap("blocked TRAP", CHILD({
        install(SIGTRAP, 0);
        block(SIG_BLOCK, SIGTRAP);
        __asm__ volatile("int3");
    }));
    reap("raised and ignored", CHILD({
        signal(SIGSEGV, SIG_IGN);
        raise(SIGSEGV);
        say("lives");
    }));
    reap("SEGV in its own handler", CHILD({
        struct sigaction a = {.sa_handler = (void (*)(int))0x10};
        sigaction(SIGSEGV, &a, NULL);
        *(volatile char *)0 = 1;
    }));
    reap("a handler that is nowhere", CHILD({
        struct sigaction a = {.sa_handler = (void (*)(int))0x10};
        sigaction(SIGUSR1, &a, NULL);
        raise(SIGUSR1);
    }));
    reap("a stack that is nowhere", CHILD({
        struct sigaction a = {.sa_handler = nest, .sa_flags = SA_ONSTACK};
        stack_t s = {.ss_sp = nowhere(), .ss_size = 65536};
        sigaltstack(&s, NULL);
        sigaction(SIGUSR1, &a, NULL);
        raise(SIGUSR1);
    }));
}

static int ends[2];
static void feed(int signal)
{
    (void)signal;
    count++;
    handler_errno = errno;
    if (write(ends[1], "x", 1) != 1)
        _exit(9);
}

static void nothing(int signal)
{
    (void)signal;
    count++;
}

/* Again and again: the first may come before the call that it is to interrupt. */
static void timer_in(long us)
{
    struct itimerval t = {.it_value = {us / 1000000, us % 1000000}, .it_interval = {0, us}};
    setitimer(ITIMER_REAL, &t, NULL);
}

CASE(restart_read)
{
    char byte;
    pipe(ends);
    struct sigaction a = {.sa_handler = feed, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &a, NULL);
    timer_in(30000);
    R(read(ends[0], &byte, 1));
    a.sa_handler = nothing;
    a.sa_flags = 0;
    sigaction(SIGALRM, &a, NULL);
    pipe(ends);
    R(read(ends[0], &byte, 1));
}

CASE(interrupted_waits)
{
    struct sigaction a = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &a, NULL);
    pipe(ends);
    struct pollfd p = {ends[0], POLLIN, 0};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    struct timespec long_time = {20, 0}, left;
    sigset_t none;
    sigemptyset(&none);
    timer_in(20000);
    R(poll(&p, 1, 20000));
    timer_in(20000);
    R(ppoll(&p, 1, &long_time, &none));
    timer_in(20000);
    R(select(ends[0] + 1, &set, NULL, NULL, NULL));
    timer_in(20000);
    R(pselect(ends[0] + 1, &set, NULL, NULL, &long_time, &none));
    timer_in(20000);
    R(nanosleep(&long_time, &left));
    timer_in(20000);
    R(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, &left) == EINTR);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 20;
    timer_in(20000);
    R(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR);
    timer_in(20000);
    R(pause());
    timer_in(20000);
    R(sigsuspend(&none));
    sigset_t usr;
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    timer_in(20000);
    R(sigtimedwait(&usr, NULL, &long_time));
    int ep = epoll_create1(0);
    struct epoll_event ev;
    timer_in(20000);
    R(epoll_wait(ep, &ev, 1, 20000));
    timer_in(20000);
    R(epoll_pwait(ep, &ev, 1, 20000, &none));
    timer_in(20000);
    R(epoll_pwait2(ep, &ev, 1, &long_time, &none));
}

CASE(pselect_mask)
{
    install(SIGUSR1, 0);
    block(SIG_BLOCK, SIGUSR1);
    raise(SIGUSR1);
    sigset_t none, now;
    sigemptyset(&none);
    struct timespec zero = {0, 0};
    R(pselect(0, NULL, NULL, NULL, &zero, &none));
    say("count %d", count);
    raise(SIGUSR1);
    R(ppoll(NULL, 0, &zero, &none));
    say("count %d", count);
    raise(SIGUSR1);
    R(sigsuspend(&none));
    say("count %d", count);
    sigprocmask(SIG_SETMASK, NULL, &now);
    say("blocked %d", sigismember(&now, SIGUSR1));
}

static void *thread_waits(void *arg)
{
    sigset_t s;
    int got;
    (void)arg;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigaddset(&s, SIGUSR2);
    sigwait(&s, &got);
    say("thread got %s", sigabbrev_np(got));
    return NULL;
}

CASE(sigwait_thread)
{
    pthread_t t;
    block(SIG_BLOCK, SIGUSR1);
    block(SIG_BLOCK, SIGUSR2);
    pthread_create(&t, NULL, thread_waits, NULL);
    pause_ms(20);
    R(pthread_kill(t, SIGUSR2));
    pthread_join(t, NULL);
    pthread_create(&t, NULL, thread_waits, NULL);
    R(kill(getpid(), SIGUSR1));
    pthread_join(t, NULL);
}

CASE(signalfd_reads)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigaddset(&s, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &s, NULL);
    int fd = signalfd(-1, &s, SFD_NONBLOCK | SFD_CLOEXEC);
    struct signalfd_siginfo info[4];
    R(read(fd, info, sizeof info));
    raise(SIGUSR1);
    union sigval v = {.sival_int = 5};
    sigqueue(getpid(), SIGRTMIN, v);
    sigqueue(getpid(), SIGRTMIN, v);
    struct pollfd p = {fd, POLLIN, 0};
    R(poll(&p, 1, 0));
    long n = R(read(fd, info, sizeof info));
    for (int i = 0; i < n / (long)sizeof *info; i++)
        say("signal %d code %d int %d own %d", info[i].ssi_signo == SIGUSR1, info[i].ssi_code, info[i].ssi_int, info[i].ssi_pid == (unsigned)getpid());
    R(read(fd, info, 1));
    R(signalfd(fd, &s, 0) == fd);
    R(signalfd(-1, &s, 77));
    R(signalfd(0, &s, 0));
    SYS(signalfd4, -1, &s, 4, 0);
    R(syscall(SYS_signalfd4, -1, nowhere(), 8, 0));
}

static void change(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    (void)signal;
    (void)info;
    u->uc_mcontext.gregs[REG_RAX] = 4242;
    sigaddset(&u->uc_sigmask, SIGUSR2);
}

CASE(context_changes)
{
    struct sigaction a = {.sa_sigaction = change, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &a, NULL);
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"((long)SYS_tgkill), "D"((long)getpid()), "S"((long)gettid()), "d"((long)SIGUSR1) : "rcx", "r11", "memory");
    say("result %ld", result);
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    say("USR2 blocked %d", sigismember(&now, SIGUSR2));
}

static void from_handler(int signal)
{
    pid_t child = fork();
    (void)signal;
    if (!child)
        _exit(count++ + 3);
    reap("child of a handler", child);
}

CASE(fork_in_handler)
{
    signal(SIGUSR1, from_handler);
    raise(SIGUSR1);
    say("count %d", count);
}

CASE(exec_keeps)
{
    signal(SIGUSR1, SIG_IGN);
    install(SIGUSR2, 0);
    block(SIG_BLOCK, SIGTERM);
    raise(SIGTERM);
    reap("sh", CHILD({
        execl("/bin/sh", "sh", "-c", "grep -E 'Sig(Blk|Ign|Cgt|Pnd)|ShdPnd' /proc/self/status | tr '\\n' ' '; echo", NULL);
    }));
}

CASE(job_control)
{
    int status;
    pid_t child = CHILD({
        for (;;)
            pause();
    });
    R(kill(child, SIGSTOP));
    R(waitpid(child, &status, WUNTRACED) == child);
    say_end("child", status);
    R(kill(child, SIGCONT));
    R(waitpid(child, &status, WCONTINUED) == child);
    say_end("child", status);
    R(kill(child, SIGTSTP));
    siginfo_t info = {0};
    R(waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOWAIT));
    say("code %d status %d", info.si_code, info.si_status);
    R(waitid(P_PID, (id_t)child, &info, WSTOPPED));
    kill(child, SIGCONT);
    R(waitid(P_PID, (id_t)child, &info, WCONTINUED));
    say("code %d status %d", info.si_code, info.si_status);
    R(kill(child, SIGTERM));
    R(waitid(P_PID, (id_t)child, &info, WEXITED));
    say("code %d status %d", info.si_code, info.si_status);
    R(waitid(P_PID, (id_t)child, &info, WEXITED));
}

CASE(child_signal)
{
    install(SIGCHLD, 0);
    block(SIG_BLOCK, SIGCHLD);
    pid_t child = CHILD(_exit(7));
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGCHLD);
    siginfo_t info;
    R(sigwaitinfo(&s, &info) == SIGCHLD);
    say("code %d status %d pid right %d", info.si_code, info.si_status, info.si_pid == child);
    reap("child", child);
    signal(SIGCHLD, SIG_IGN);
    child = CHILD(_exit(8));
    R(waitpid(child, NULL, 0));
    struct sigaction a = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    sigaction(SIGCHLD, &a, NULL);
    child = CHILD(_exit(8));
    R(waitpid(child, NULL, 0));
}

CASE(death_signals)
{
    int all[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE,
                 SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        reap(sigabbrev_np(all[i]), CHILD({
            raise(all[i]);
        }));
    reap("real-time", CHILD(raise(SIGRTMAX)));
    reap("ignored ones", CHILD({
        raise(SIGCHLD);
        raise(SIGURG);
        raise(SIGWINCH);
        raise(SIGCONT);
        _exit(3);
    }));
}

CASE(sigio_pipe)
{
    pipe(ends);
    install(SIGIO, 0);
    install(SIGRTMIN + 2, 0);
    R(fcntl(ends[0], F_SETOWN, getpid()));
    R(fcntl(ends[0], F_GETOWN) == getpid());
    R(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK));
    write(ends[1], "a", 1);
    say("count %d signal %d", count, last);
    R(fcntl(ends[0], F_SETSIG, SIGRTMIN + 2));
    R(fcntl(ends[0], F_GETSIG) == SIGRTMIN + 2);
    write(ends[1], "a", 1);
    say("count %d signal %d code %d", count, last - SIGRTMIN, code);
    struct f_owner_ex {
        int type;
        pid_t pid;
    } owner = {0, gettid()};
    R(fcntl(ends[0], 15, &owner));
    owner.pid = 0;
    R(fcntl(ends[0], 16, &owner));
    say("owner %d %d", owner.type, owner.pid == gettid());
}

static volatile int handled[3];
static void masked(int signal)
{
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    handled[0] = sigismember(&now, signal);
    handled[1] = sigismember(&now, SIGHUP);
    handled[2] = sigismember(&now, SIGINT);
}

CASE(handler_mask)
{
    struct sigaction a = {.sa_handler = masked};
    sigaddset(&a.sa_mask, SIGHUP);
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    say("in handler: own %d HUP %d INT %d", handled[0], handled[1], handled[2]);
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    say("behind: own %d HUP %d", sigismember(&now, SIGUSR1), sigismember(&now, SIGHUP));
}

CASE(two_at_once)
{
    install(SIGUSR1, 0);
    struct sigaction a = {.sa_handler = nest, .sa_flags = 0};
    sigaction(SIGUSR2, &a, NULL);
    nested = 9;
    sigset_t both, old;
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    sigprocmask(SIG_BLOCK, &both, &old);
    raise(SIGUSR2);
    raise(SIGUSR1);
    sigprocmask(SIG_SETMASK, &old, NULL);
    say("count %d nested %d last %d", count, nested, last);
}

CASE(sigreturn_bad)
{
    reap("sigreturn out of nowhere", CHILD({
        syscall(SYS_rt_sigreturn);
    }));
    reap("sigreturn with a bad stack", CHILD({
        __asm__ volatile("mov $0x10, %%rsp; mov $15, %%eax; syscall" ::: "memory");
    }));
}
