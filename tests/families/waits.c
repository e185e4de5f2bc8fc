/* Waiting with a mask, and with limits: what is ready comes before a signal. */
#include "family.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
    (void)signal;
    handled++;
}

static int full[2], empty[2];

/* SIGUSR1 is blocked and pending. */
static void prepare(int signal)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t set;
    sigaction(signal, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_SETMASK, &set, NULL);
    if (!full[1] && (pipe(full) || pipe(empty) || write(full[1], "x", 1) != 1))
        _exit(1);
    handled = 0;
    raise(signal);
}

static void after(const char *what, long result, int signal)
{
    int error = errno;
    sigset_t pending, mask;
    sigpending(&pending);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    say("%s: %ld %s, handled %d, pending %d, blocked %d", what, result,
        result < 0 ? strerrorname_np(error) : "", (int)handled, sigismember(&pending, signal),
        sigismember(&mask, signal));
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static const struct timespec zero, some = {0, 2000000};

static void try_all(int signal)
{
    sigset_t none;
    sigemptyset(&none);
    struct pollfd fds[2] = {{.fd = full[0], .events = POLLIN}, {.fd = empty[0], .events = POLLIN}};
    const struct timespec *limits[] = {&zero, &some, NULL};
    const char *names[] = {"no time", "some time", "for ever"};
    char text[64];
    for (int i = 0; i < 3; i++) {
        for (int ready = 0; ready < 2; ready++) {
            prepare(signal);
            fds[0].fd = full[0], fds[1].fd = empty[0];
            struct pollfd *first = ready ? fds : fds + 1;
            snprintf(text, sizeof text, "ppoll, %s, %s", names[i], ready ? "ready" : "not ready");
            after(text, ppoll(first, 1, limits[i], &none), signal);
            prepare(signal);
            fd_set in;
            FD_ZERO(&in);
            FD_SET(first->fd, &in);
            snprintf(text, sizeof text, "pselect, %s, %s", names[i], ready ? "ready" : "not ready");
            after(text, pselect(first->fd + 1, &in, NULL, NULL, limits[i], &none), signal);
            say("  its set: %d", FD_ISSET(first->fd, &in));
            prepare(signal);
            int epoll = epoll_create1(0), ms[] = {0, 2, -1};
            struct epoll_event event = {.events = EPOLLIN, .data.u64 = 7}, got = {0};
            epoll_ctl(epoll, EPOLL_CTL_ADD, first->fd, &event);
            snprintf(text, sizeof text, "epoll_pwait, %s, %s", names[i], ready ? "ready" : "not ready");
            after(text, epoll_pwait(epoll, &got, 1, ms[i], &none), signal);
            prepare(signal);
            snprintf(text, sizeof text, "epoll_pwait2, %s, %s", names[i], ready ? "ready" : "not ready");
            after(text, syscall(SYS_epoll_pwait2, epoll, &got, 1, limits[i], &none, 8), signal);
            close(epoll);
        }
    }
}

CASE(masks_of_waits)
{
    prepare(SIGUSR1);
    try_all(SIGUSR1);
}

/* A signal that instructions raise, too. If a process sends it, it may be blocked. */
CASE(masks_of_waits_synchronous)
{
    prepare(SIGSEGV);
    sigset_t none;
    sigemptyset(&none);
    struct pollfd fd = {.fd = empty[0], .events = POLLIN};
    after("ppoll", ppoll(&fd, 1, &zero, &none), SIGSEGV);
}

static void *other_thread(void *unused)
{
    pause_ms(200);
    return unused;
}

CASE(masks_of_waits_with_threads)
{
    pthread_t other;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pthread_create(&other, NULL, other_thread, NULL);
    prepare(SIGUSR2);
    try_all(SIGUSR2);
    pthread_join(other, NULL);
}

/* The handler sees the mask of the call, and leaves the old one. */
static void say_mask(int signal)
{
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    say("in the handler of %s: USR1 %d USR2 %d TERM %d", sigabbrev_np(signal), sigismember(&mask, SIGUSR1),
        sigismember(&mask, SIGUSR2), sigismember(&mask, SIGTERM));
}

CASE(mask_in_handler)
{
    struct sigaction action = {.sa_handler = say_mask};
    sigset_t set, during;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_SETMASK, &set, NULL);
    sigemptyset(&during);
    sigaddset(&during, SIGTERM);
    raise(SIGUSR1);
    raise(SIGUSR2);
    R(ppoll(NULL, 0, NULL, &during));
    sigprocmask(SIG_SETMASK, NULL, &set);
    say("afterwards: USR1 %d USR2 %d TERM %d", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2),
        sigismember(&set, SIGTERM));
    raise(SIGUSR1);
    R(sigsuspend(&during));
    raise(SIGUSR2);
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR2);
    siginfo_t info;
    R(sigtimedwait(&wanted, &info, &zero));
    R(sigtimedwait(&wanted, &info, &zero));
}

CASE(wait_errors)
{
    struct timespec bad = {0, 1000000000}, negative = {-1, 0};
    struct timeval bad_val = {0, 1000000}, negative_val = {-1, 0};
    struct pollfd fds[3] = {{.fd = -1, .events = POLLIN}, {.fd = 500, .events = POLLIN}, {.fd = 0, .events = 0}};
    fd_set set;
    sigset_t none;
    sigemptyset(&none);
    R(poll(fds, 2, 0));
    say("revents %x %x", fds[0].revents, fds[1].revents);
    SYS(poll, nowhere(), 1, 0);
    R(poll(NULL, 0, 0));
    SYS(poll, fds, 1u << 30, 0);
    R(ppoll(fds, 1, &bad, NULL));
    R(ppoll(fds, 1, &negative, NULL));
    SYS(ppoll, fds, 1, nowhere(), NULL, 8);
    SYS(ppoll, fds, 1, &zero, nowhere(), 8);
    SYS(ppoll, fds, 1, &zero, &none, 4);
    SYS(ppoll, fds, 1, &zero, NULL, 4);
    FD_ZERO(&set);
    FD_SET(60, &set);
    R(select(61, &set, NULL, NULL, &negative_val));
    R(select(61, &set, NULL, NULL, &bad_val));
    struct timeval none_val = {0, 0};
    R(select(61, &set, NULL, NULL, &none_val));
    FD_ZERO(&set);
    SYS(select, -1, &set, NULL, NULL, &none_val);
    SYS(select, 61, nowhere(), NULL, NULL, &none_val);
    SYS(select, 61, NULL, NULL, NULL, nowhere());
    R(select(0, NULL, NULL, NULL, &none_val));
    SYS(pselect6, 0, NULL, NULL, NULL, &zero, nowhere());
    struct { const void *p; size_t n; } pair = {&none, 8}, wrong = {&none, 7}, lost = {nowhere(), 8};
    SYS(pselect6, 0, NULL, NULL, NULL, &zero, &pair);
    SYS(pselect6, 0, NULL, NULL, NULL, &zero, &wrong);
    SYS(pselect6, 0, NULL, NULL, NULL, &zero, &lost);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN}, got[2];
    R(epoll_create(0));
    R(epoll_create1(1));
    R(epoll_ctl(epoll, EPOLL_CTL_ADD, epoll, &event));
    R(epoll_ctl(epoll, EPOLL_CTL_ADD, 500, &event));
    R(epoll_ctl(epoll, EPOLL_CTL_MOD, 1, &event));
    R(epoll_ctl(epoll, 9, 1, &event));
    R(epoll_ctl(1, EPOLL_CTL_ADD, 0, &event));
    R(epoll_ctl(epoll, EPOLL_CTL_ADD, 1, nowhere()));
    R(epoll_wait(epoll, got, 0, 0));
    SYS(epoll_wait, epoll, got, -1, 0);
    R(epoll_wait(epoll, got, 2, 0));
    R(epoll_wait(1, got, 2, 0));
    int inner = epoll_create1(0), event_fd = eventfd(1, 0);
    R(epoll_ctl(epoll, EPOLL_CTL_ADD, inner, &event));
    R(epoll_ctl(inner, EPOLL_CTL_ADD, epoll, &event));
    R(epoll_ctl(inner, EPOLL_CTL_ADD, event_fd, &event));
    R(epoll_ctl(inner, EPOLL_CTL_ADD, event_fd, &event));
    R(epoll_wait(epoll, got, 2, 0));
    SYS(epoll_wait, epoll, nowhere(), 2, 0);
    event.events = EPOLLIN | EPOLLEXCLUSIVE;
    R(epoll_ctl(inner, EPOLL_CTL_MOD, event_fd, &event));
    event.events = EPOLLIN | EPOLLONESHOT;
    R(epoll_ctl(inner, EPOLL_CTL_MOD, event_fd, &event));
    R(epoll_wait(inner, got, 2, 0));
    R(epoll_wait(inner, got, 2, 0));
    R(epoll_ctl(inner, EPOLL_CTL_DEL, event_fd, NULL));
    R(epoll_ctl(inner, EPOLL_CTL_DEL, event_fd, NULL));
    SYS(epoll_pwait, epoll, got, 2, 0, &none, 4);
    SYS(epoll_pwait, epoll, got, 2, 0, nowhere(), 8);
    SYS(epoll_pwait2, epoll, got, 2, &bad, &none, 8);
    SYS(epoll_pwait2, epoll, got, 2, nowhere(), &none, 8);
}

static volatile int timer_hits;
static timer_t the_timer;

static void on_timer(int signal, siginfo_t *info, void *context)
{
    (void)context;
    timer_hits++;
    if (timer_hits == 1)
        say("%s: code %d value %d overrun %s", sigabbrev_np(signal), info->si_code, info->si_value.sival_int,
            timer_getoverrun(the_timer) >= 0 ? "known" : "unknown");
}

static void on_notify(union sigval value)
{
    __atomic_add_fetch((int *)value.sival_ptr, 1, __ATOMIC_SEQ_CST);
}

CASE(timers_of_all_kinds)
{
    static const struct { const char *name; clockid_t id; } clocks[] = {
        {"realtime", CLOCK_REALTIME}, {"monotonic", CLOCK_MONOTONIC}, {"process", CLOCK_PROCESS_CPUTIME_ID},
        {"thread", CLOCK_THREAD_CPUTIME_ID}, {"boottime", CLOCK_BOOTTIME}, {"raw", CLOCK_MONOTONIC_RAW},
        {"coarse", CLOCK_MONOTONIC_COARSE}, {"tai", CLOCK_TAI}, {"99", 99}, {"-1", -1},
    };
    struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
    sigaction(SIGALRM, &action, NULL);
    for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_int = 40 + i};
        struct itimerspec soon = {.it_value = {0, 1000000}}, left;
        timer_hits = 0;
        if (timer_create(clocks[i].id, &event, &the_timer)) {
            say("timer_create(%s): %s", clocks[i].name, strerrorname_np(errno));
            continue;
        }
        say("timer_create(%s)", clocks[i].name);
        R(timer_settime(the_timer, 0, &soon, NULL));
        for (volatile long spin = 0; !timer_hits; spin++) {
        }
        R(timer_gettime(the_timer, &left));
        say("left: %ld %ld", (long)left.it_value.tv_sec, left.it_value.tv_nsec);
        R(timer_delete(the_timer));
        R(timer_settime(the_timer, 0, &soon, NULL));
    }
    struct sigevent none = {.sigev_notify = SIGEV_NONE}, bad = {.sigev_notify = 77};
    struct sigevent wrong = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 65};
    struct itimerspec invalid = {.it_value = {0, 1000000000}}, later = {.it_value = {1000, 0}, .it_interval = {1, 0}}, old;
    R(timer_create(CLOCK_MONOTONIC, &bad, &the_timer));
    R(timer_create(CLOCK_MONOTONIC, &wrong, &the_timer));
    R(timer_create(CLOCK_MONOTONIC, &none, &the_timer));
    R(timer_settime(the_timer, 0, &invalid, NULL));
    R(timer_settime(the_timer, 0, &later, &old));
    R(timer_settime(the_timer, TIMER_ABSTIME, &(struct itimerspec){.it_value = {0, 1}}, &old));
    say("interval %ld, value below 1000: %d", (long)old.it_interval.tv_sec, old.it_value.tv_sec < 1000);
    R(timer_getoverrun(the_timer));
    SYS(timer_create, CLOCK_MONOTONIC, &none, nowhere());
    SYS(timer_create, CLOCK_MONOTONIC, nowhere(), &the_timer);
    SYS(timer_gettime, 12345, &later);
    SYS(timer_delete, 12345);
    static int notified;
    struct sigevent by_thread = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_notify, .sigev_value.sival_ptr = &notified};
    R(timer_create(CLOCK_MONOTONIC, &by_thread, &the_timer));
    R(timer_settime(the_timer, 0, &(struct itimerspec){.it_value = {0, 1000000}}, NULL));
    while (!__atomic_load_n(&notified, __ATOMIC_SEQ_CST))
        pause_ms(1);
    say("notified %d", notified);
    R(timer_delete(the_timer));
    struct sigevent to_thread = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    to_thread._sigev_un._tid = gettid();
    timer_hits = 5;
    R(timer_create(CLOCK_MONOTONIC, &to_thread, &the_timer));
    R(timer_settime(the_timer, 0, &(struct itimerspec){.it_value = {0, 1000000}}, NULL));
    while (timer_hits == 5)
        pause_ms(1);
    to_thread._sigev_un._tid = 1;
    R(timer_create(CLOCK_MONOTONIC, &to_thread, &the_timer));
}

CASE(sleeps)
{
    struct timespec bad = {0, -1}, zero_time = {0, 0}, rest = {7, 7}, past = {1, 0};
    R(nanosleep(&bad, NULL));
    R(nanosleep(nowhere(), NULL));
    R(nanosleep(&zero_time, nowhere()));
    R(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, &rest));
    say("rest %ld", rest.tv_nsec);
    R(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &zero_time, &rest));
    R(clock_nanosleep(99, 0, &zero_time, &rest));
    R(clock_nanosleep(CLOCK_REALTIME, 0, &bad, &rest));
    R(clock_nanosleep(CLOCK_BOOTTIME, 0, &(struct timespec){0, 1000}, &rest));
    R(clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &zero_time, NULL));
    struct itimerval interval = {.it_value = {0, 1000}};
    signal(SIGALRM, on_signal);
    signal(SIGVTALRM, on_signal);
    signal(SIGPROF, on_signal);
    for (int i = 0; i < 3; i++) {
        handled = 0;
        R(setitimer(i, &interval, NULL));
        for (volatile long spin = 0; !handled; spin++) {
        }
        say("timer %d", i);
    }
    R(setitimer(3, &interval, NULL));
    R(getitimer(3, &interval));
    interval.it_value.tv_usec = 1000000;
    R(setitimer(0, &interval, NULL));
    R(setitimer(0, nowhere(), NULL));
    R(getitimer(0, nowhere()));
    R(setitimer(0, NULL, NULL));
    R(alarm(1000));
    R(alarm(0) > 900);
    R(alarm(0));
}

CASE(signalfds)
{
    sigset_t set;
    struct signalfd_siginfo info[3];
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    R(read(fd, info, sizeof info));
    raise(SIGUSR1);
    raise(SIGUSR2);
    R(read(fd, info, sizeof *info - 1));
    R(read(fd, nowhere(), sizeof *info));
    long n = read(fd, info, sizeof info);
    say("%ld", n);
    for (int i = 0; i < n / (long)sizeof *info; i++)
        say("signal %u from %s code %d", info[i].ssi_signo, info[i].ssi_pid == (unsigned)getpid() ? "itself" : "?", info[i].ssi_code);
    sigdelset(&set, SIGUSR1);
    R(signalfd(fd, &set, 0) == fd);
    raise(SIGUSR1);
    R(read(fd, info, sizeof info));
    struct pollfd p = {.fd = fd, .events = POLLIN};
    R(poll(&p, 1, 0));
    raise(SIGUSR2);
    R(poll(&p, 1, 0));
    R(signalfd(0, &set, 0));
    R(signalfd(-1, &set, 1));
    SYS(signalfd4, -1, &set, 4, 0);
    SYS(signalfd4, -1, nowhere(), 8, 0);
    R(signalfd(500, &set, 0));
}
