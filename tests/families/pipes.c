/* Pipes, and what is waited for: poll, select, epoll, eventfd, timerfd, splice, terminals. */
#include "family.h"

#include <poll.h>
#include <pty.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <termios.h>

CASE(pipe_basic)
{
    int p[2];
    char bytes[64] = "";
    R(pipe2(p, O_NONBLOCK));
    R(read(p[0], bytes, 10));
    R(write(p[1], "hello", 5));
    int n;
    R(ioctl(p[0], FIONREAD, &n));
    say("%d", n);
    R(read(p[0], bytes, 3));
    R(read(p[0], bytes, 10));
    R(fcntl(p[0], F_GETPIPE_SZ));
    R(fcntl(p[0], F_SETPIPE_SZ, 4096));
    R(fcntl(p[0], F_SETPIPE_SZ, 100000));
    R(fcntl(p[0], F_SETPIPE_SZ, -1));
    long total = 0, got;
    char block[1000] = "";
    while ((got = write(p[1], block, sizeof block)) > 0)
        total += got;
    say("total %ld then %s", total, strerrorname_np(errno));
    R(write(p[1], block, 10) > 0 || errno == EAGAIN);
    close(p[0]);
    signal(SIGPIPE, SIG_IGN);
    R(write(p[1], "x", 1));
    R(pipe2(p, 0x1234567));
    R(pipe(nowhere()));
    R(pipe2(p, O_DIRECT));
    write(p[1], "one", 3);
    write(p[1], "two", 3);
    R(read(p[0], bytes, 64));
    R(read(p[0], bytes, 64));
    reap("SIGPIPE", CHILD({
        signal(SIGPIPE, SIG_DFL);
        close(p[0]);
        write(p[1], "x", 1);
    }));
}

CASE(pipe_partial)
{
    int p[2];
    pipe(p);
    char *edge = (char *)two_pages_one_gone() + PAGE - 4;
    write(p[1], "12345678", 8);
    R(read(p[0], edge, 8));
    say("%.4s", edge);
    R(read(p[0], edge, 4));
    say("%.4s", edge);
    write(p[1], "12345678", 8);
    R(read(p[0], nowhere(), 8));
    R(write(p[1], edge, 8));
    fcntl(p[0], F_SETFL, O_NONBLOCK);
    char all[64] = "";
    R(read(p[0], all, 64));
    say("%s", all);
}

CASE(fifo)
{
    mkfifo("fifo", 0600);
    R(open("fifo", O_WRONLY | O_NONBLOCK));
    int r;
    OK(r = open("fifo", O_RDONLY | O_NONBLOCK));
    char byte;
    R(read(r, &byte, 1));
    pid_t child = CHILD({
        int w = open("fifo", O_WRONLY);
        write(w, "through the fifo", 16);
    });
    struct pollfd p = {r, POLLIN, 0};
    poll(&p, 1, -1);
    char bytes[32] = "";
    pause_ms(20);
    R(read(r, bytes, 31));
    say("%s", bytes);
    reap("child", child);
    R(poll(&p, 1, 0));
    say("%x", p.revents);
    R(read(r, &byte, 1));
}

CASE(polls)
{
    int p[2], q[2];
    pipe(p);
    pipe(q);
    struct pollfd f[4] = {{p[0], POLLIN, 9}, {p[1], POLLOUT, 9}, {-1, POLLIN, 9}, {500, POLLIN, 9}};
    R(poll(f, 4, 0));
    say("%x %x %x %x", f[0].revents, f[1].revents, f[2].revents, f[3].revents);
    write(p[1], "x", 1);
    R(poll(f, 1, -1));
    close(q[1]);
    f[0].fd = q[0];
    R(poll(f, 1, -1));
    say("%x", f[0].revents);
    R(poll(NULL, 0, 10));
    R(poll(nowhere(), 1, 0));
    R(poll(f, 1000000000, 0));
    struct timespec bad = {0, -1}, short_time = {0, 5000000};
    R(ppoll(f, 1, &bad, NULL));
    f[0].fd = -1;
    R(ppoll(f, 1, &short_time, NULL));
    say("%ld", (long)short_time.tv_nsec);
    R(syscall(SYS_ppoll, f, 1, &short_time, NULL, 8));
    say("%ld", (long)short_time.tv_nsec);
    R(syscall(SYS_ppoll, f, 1, &short_time, f, 5));
    fd_set in, out;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(p[0], &in);
    FD_SET(p[1], &out);
    struct timeval t = {1, 0};
    R(select(20, &in, &out, NULL, &t));
    say("%d %d", FD_ISSET(p[0], &in), FD_ISSET(p[1], &out));
    R(select(-1, &in, NULL, NULL, &t));
    R(select(10, nowhere(), NULL, NULL, &t));
    t = (struct timeval){0, 5000};
    R(select(0, NULL, NULL, NULL, &t));
    say("%ld %ld", (long)t.tv_sec, (long)t.tv_usec);
    t = (struct timeval){-1, 0};
    R(select(0, NULL, NULL, NULL, &t));
}

CASE(big_select)
{
    struct pollfd f[64];
    int p[2];
    pipe(p);
    R(dup2(p[0], 900));
    write(p[1], "x", 1);
    unsigned char sets[256];
    memset(sets, 0, sizeof sets);
    sets[900 / 8] = 1 << 900 % 8;
    struct timeval t = {0, 0};
    R(syscall(SYS_select, 1000, sets, NULL, NULL, &t));
    say("%d", sets[900 / 8]);
    for (int i = 0; i < 64; i++)
        f[i] = (struct pollfd){i % 2 ? 900 : p[1], POLLIN | POLLOUT, 0};
    R(poll(f, 64, 0));
    say("%u", sum_of(f, sizeof f));
}

CASE(epolls)
{
    int e = epoll_create1(EPOLL_CLOEXEC), p[2];
    pipe2(p, O_NONBLOCK);
    struct epoll_event ev = {EPOLLIN | EPOLLET, {.u64 = 0x1234567890}}, got[4];
    R(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev));
    R(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev));
    R(epoll_ctl(e, EPOLL_CTL_MOD, p[1], &ev));
    R(epoll_ctl(e, EPOLL_CTL_DEL, p[1], &ev));
    R(epoll_ctl(e, EPOLL_CTL_ADD, e, &ev));
    R(epoll_ctl(e, 99, p[0], &ev));
    R(epoll_ctl(e, EPOLL_CTL_ADD, open("/etc/passwd", O_RDONLY), &ev));
    R(epoll_ctl(e, EPOLL_CTL_ADD, p[1], nowhere()));
    R(epoll_wait(e, got, 4, 0));
    write(p[1], "x", 1);
    R(epoll_wait(e, got, 4, -1));
    say("%x %llx", got[0].events, (unsigned long long)got[0].data.u64);
    R(epoll_wait(e, got, 4, 0));
    write(p[1], "x", 1);
    R(epoll_wait(e, got, 4, 100));
    ev.events = EPOLLIN | EPOLLONESHOT;
    R(epoll_ctl(e, EPOLL_CTL_MOD, p[0], &ev));
    R(epoll_wait(e, got, 4, 0));
    R(epoll_wait(e, got, 4, 0));
    R(epoll_wait(e, got, 0, 0));
    R(epoll_wait(e, nowhere(), 4, 0));
    R(epoll_wait(p[0], got, 4, 0));
    R(epoll_wait(-1, got, 4, 0));
    ev.events = EPOLLIN;
    epoll_ctl(e, EPOLL_CTL_MOD, p[0], &ev);
    R(epoll_wait(e, nowhere(), 4, 0));
    int f = epoll_create(5);
    R(epoll_ctl(f, EPOLL_CTL_ADD, e, &ev));
    R(epoll_wait(f, got, 4, 0));
    R(epoll_ctl(e, EPOLL_CTL_ADD, f, &ev));
    R(epoll_create(0));
    R(epoll_create1(77));
    struct timespec t = {0, 1000000}, bad = {0, 2000000000};
    R(epoll_pwait2(f, got, 4, &t, NULL));
    R(epoll_pwait2(f, got, 4, &bad, NULL));
    R(epoll_pwait2(f, got, 4, NULL, NULL));
}

CASE(eventfds)
{
    int e = eventfd(3, EFD_NONBLOCK);
    uint64_t v = 0;
    R(read(e, &v, 8));
    say("%llu", (unsigned long long)v);
    R(read(e, &v, 8));
    v = 5;
    R(write(e, &v, 8));
    R(write(e, &v, 8));
    R(read(e, &v, 8));
    say("%llu", (unsigned long long)v);
    R(read(e, &v, 4));
    v = ~0ull;
    R(write(e, &v, 8));
    v = ~0ull - 1;
    R(write(e, &v, 8));
    v = 1;
    R(write(e, &v, 8));
    int s = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    R(read(s, &v, 8));
    R(read(s, &v, 8));
    R(read(s, &v, 8));
    R(eventfd(0, 999));
    int b = eventfd(0, 0);
    pid_t child = CHILD({
        uint64_t one = 9;
        pause_ms(20);
        write(b, &one, 8);
    });
    R(read(b, &v, 8));
    say("%llu", (unsigned long long)v);
    reap("child", child);
}

CASE(timerfds)
{
    int t = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    uint64_t v = 0;
    R(read(t, &v, 8));
    struct itimerspec s = {.it_value = {100, 10000000}}, old;
    R(timerfd_settime(t, 0, &s, NULL));
    R(timerfd_gettime(t, &old));
    say("%d", old.it_value.tv_sec > 0);
    s.it_value.tv_sec = 0;
    timerfd_settime(t, 0, &s, NULL);
    struct pollfd p = {t, POLLIN, 0};
    R(poll(&p, 1, -1));
    R(read(t, &v, 8));
    say("%llu", (unsigned long long)v);
    R(timerfd_gettime(t, &old));
    say("%ld %ld", (long)old.it_value.tv_sec, old.it_value.tv_nsec);
    s.it_value.tv_nsec = 2000000000;
    R(timerfd_settime(t, 0, &s, NULL));
    R(timerfd_settime(t, 99, &s, NULL));
    R(timerfd_settime(0, 0, &s, NULL));
    R(timerfd_settime(t, 0, nowhere(), NULL));
    s.it_value.tv_nsec = 1;
    R(timerfd_settime(t, TFD_TIMER_ABSTIME, &s, &old));
    R(poll(&p, 1, -1));
    R(read(t, &v, 4));
    R(timerfd_create(77, 0));
    R(timerfd_create(CLOCK_REALTIME, 77));
    int r = timerfd_create(CLOCK_BOOTTIME, 0);
    s.it_value = (struct timespec){0, 5000000};
    s.it_interval = (struct timespec){0, 1};
    timerfd_settime(r, 0, &s, NULL);
    R(read(r, &v, 8));
    say("%d", v > 0);
}

CASE(splices)
{
    int a[2], b[2];
    pipe(a);
    pipe(b);
    char bytes[64] = "";
    write(a[1], "0123456789", 10);
    R(tee(a[0], b[1], 5, 0));
    R(read(b[0], bytes, 63));
    say("%s", bytes);
    R(splice(a[0], NULL, b[1], NULL, 4, 0));
    R(read(b[0], bytes, 63));
    say("%.4s", bytes);
    struct iovec v[2] = {{"abc", 3}, {"defg", 4}};
    R(vmsplice(b[1], v, 2, 0));
    R(read(b[0], bytes, 63));
    say("%.7s", bytes);
    v[0] = (struct iovec){bytes, 3};
    R(vmsplice(a[0], v, 1, 0));
    say("%.3s", bytes);
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    R(splice(a[0], NULL, fd, NULL, 100, 0));
    loff_t at = 0;
    R(splice(fd, &at, b[1], NULL, 100, 0));
    say("at %ld", (long)at);
    R(read(b[0], bytes, 63));
    R(splice(fd, NULL, fd, NULL, 10, 0));
    R(splice(a[0], &at, b[1], NULL, 10, 0));
    R(tee(fd, b[1], 5, 0));
    R(tee(a[0], a[1], 5, 0));
    R(splice(a[0], NULL, b[1], NULL, 10, SPLICE_F_NONBLOCK));
    R(splice(a[0], NULL, b[1], NULL, 10, 0xff00));
    R(vmsplice(fd, v, 1, 0));
    R(vmsplice(b[1], nowhere(), 1, 0));
    v[0] = (struct iovec){nowhere(), 10};
    R(vmsplice(b[1], v, 1, 0));
}

CASE(vmsplice_later)
{
    int a[2];
    pipe(a);
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes[16] = "";
    strcpy(page, "before");
    struct iovec v = {page, 7};
    R(vmsplice(a[1], &v, 1, 0));
    strcpy(page, "after");
    R(read(a[0], bytes, 16));
    say("%s", bytes);
}

CASE(terminal)
{
    int master, slave;
    char name[64], bytes[64] = "";
    struct termios t;
    R(openpty(&master, &slave, name, NULL, NULL));
    R(isatty(slave));
    R(tcgetattr(slave, &t));
    say("%x %x %x %x", t.c_iflag, t.c_oflag, t.c_cflag, t.c_lflag);
    R(write(master, "line\n", 5));
    R(read(slave, bytes, 63));
    say("%s", bytes);
    memset(bytes, 0, sizeof bytes);
    R(read(master, bytes, 63));
    say("%zu", strlen(bytes));
    cfmakeraw(&t);
    R(tcsetattr(slave, TCSANOW, &t));
    R(write(slave, "raw", 3));
    R(read(master, bytes, 63));
    struct winsize w = {10, 20, 0, 0};
    R(ioctl(master, TIOCSWINSZ, &w));
    memset(&w, 0, sizeof w);
    R(ioctl(slave, TIOCGWINSZ, &w));
    say("%d %d", w.ws_row, w.ws_col);
    int n = 0;
    R(ioctl(master, TIOCOUTQ, &n));
    unsigned number;
    R(ioctl(master, TIOCGPTN, &number));
    int lock = 1;
    R(ioctl(master, TIOCSPTLCK, &lock));
    R(ioctl(master, TIOCGPTLCK, &lock));
    say("%d", lock);
    lock = 0;
    ioctl(master, TIOCSPTLCK, &lock);
    int peer = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
    say("peer %d", peer >= 0);
    R(ioctl(slave, TIOCEXCL));
    R(ioctl(slave, TIOCNXCL));
    R(tcgetpgrp(slave));
    R(tcsetpgrp(slave, getpgrp()));
    R(tcsendbreak(slave, 0));
    R(tcdrain(slave));
    int ldisc = 7;
    R(ioctl(slave, TIOCGETD, &ldisc));
    say("%d", ldisc);
    close(slave);
    if (peer >= 0)
        close(peer);
    R(read(master, bytes, 10));
    R(read(master, bytes, 10));
}

CASE(controlling_terminal)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    grantpt(master);
    unlockpt(master);
    char name[64];
    ptsname_r(master, name, sizeof name);
    pid_t child = CHILD({
        R(setsid() == getpid());
        int slave = open(name, O_RDWR);
        R(ioctl(slave, TIOCSCTTY, 0));
        R(tcgetpgrp(slave) == getpid());
        R(tcgetsid(slave) == getpid());
        int tty = open("/dev/tty", O_RDWR);
        say("tty %d", tty >= 0);
        signal(SIGHUP, SIG_IGN);
        R(ioctl(tty, TIOCNOTTY));
        R(open("/dev/tty", O_RDWR));
    });
    reap("child", child);
    child = CHILD({
        setsid();
        int slave = open(name, O_RDWR);
        ioctl(slave, TIOCSCTTY, 0);
        write(slave, "r", 1);
        for (;;)
            pause();
    });
    char byte;
    while (read(master, &byte, 1) != 1)
        pause_ms(1);
    R(write(master, "\003", 1));
    reap("interrupted", child);
}
