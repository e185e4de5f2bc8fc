/* While a thread waits for an answer, another watches the memory that it will be written to.
 *
 * How long the watcher looked in vain goes into what it computes and into a register at its next
 * system call, so a replay in which the answer comes at another moment is another run.  What stands
 * beside the answer and was changed meanwhile keeps its new value; memory that cannot be written is
 * said to be so, and nothing is lost.
 */
#include "check.h"
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

enum { LARGE = 300000 };

/* What is waited for, and where the answer goes. */
static int in, out, extra;
static char bytes[LARGE];
static struct pollfd polled[3];
static fd_set selected;
static struct epoll_event events[4];
static struct sockaddr_in from;
static socklen_t from_size;
static int status;
static struct rusage usage;
static siginfo_t info;
static struct timespec left;
static struct {
    long type;
    char text[40];
} message;
static struct iovec ranges[3];
static struct mmsghdr messages[2];
static char control[200];
static pthread_t waiter;
static pid_t child;
static volatile int waiting; /* 1: soon, or already; 2: no more */
static volatile int watched; /* the watcher has looked, and changed what stands beside the answer */

static void nap(long milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

/* Each: how to prepare, to wait, to bring the answer about, and a word that changes with it. */

static void make_pipe(void)
{
    int fds[2];
    CHECK(pipe(fds) == 0);
    in = fds[0];
    out = fds[1];
}

static void make_sockets(int type)
{
    int fds[2];
    CHECK(socketpair(AF_UNIX, type, 0, fds) == 0);
    in = fds[0];
    out = fds[1];
}
static void make_stream(void) { make_sockets(SOCK_STREAM); }
static void make_packets(void) { make_sockets(SOCK_DGRAM); }

static void send_line(void) { CHECK(write(out, "some words", 10) == 10); }
static void finish_pair(void) { CHECK(close(in) == 0 && close(out) == 0); }

static void wait_read(void) { CHECK(read(in, bytes, sizeof bytes) == 10 && !memcmp(bytes, "some words", 10)); }

static void wait_readv(void)
{
    ranges[0] = (struct iovec){bytes, 3};
    ranges[1] = (struct iovec){NULL, 0};
    ranges[2] = (struct iovec){bytes + 100, 50};
    CHECK(readv(in, ranges, 3) == 10 && !memcmp(bytes, "som", 3) && !memcmp(bytes + 100, "e words", 7));
}

static void wait_recv(void) { CHECK(recv(in, bytes, 1000, 0) == 10); }

static void send_much(void)
{
    static char much[LARGE];
    memset(much, 'm', sizeof much);
    for (size_t sent = 0; sent < sizeof much;) {
        ssize_t n = write(out, much + sent, sizeof much - sent);
        CHECK(n > 0);
        sent += (size_t)n;
    }
}

static void wait_much(void)
{
    CHECK(recv(in, bytes, sizeof bytes, MSG_WAITALL) == sizeof bytes && bytes[LARGE - 1] == 'm');
}

static void ask_credentials(void)
{
    make_packets();
    CHECK(setsockopt(in, SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int)) == 0);
}

static struct msghdr header(void)
{
    return (struct msghdr){.msg_iov = ranges, .msg_iovlen = 2, .msg_control = control,
                           .msg_controllen = sizeof control};
}

static void wait_recvmsg(void)
{
    ranges[0] = (struct iovec){bytes, 4};
    ranges[1] = (struct iovec){bytes + 64, 64};
    struct msghdr h = header();
    CHECK(recvmsg(in, &h, 0) == 10 && !memcmp(bytes, "some", 4) && !memcmp(bytes + 64, " words", 6));
    struct cmsghdr *c = CMSG_FIRSTHDR(&h);
    CHECK(c && c->cmsg_type == SCM_CREDENTIALS && h.msg_iov == ranges && h.msg_control == control);
    struct ucred who;
    memcpy(&who, CMSG_DATA(c), sizeof who);
    CHECK(who.pid == getpid());
}

static void wait_recvmmsg(void)
{
    ranges[0] = (struct iovec){bytes, 4};
    ranges[1] = (struct iovec){bytes + 64, 64};
    messages[0] = messages[1] = (struct mmsghdr){.msg_hdr = header()};
    CHECK(recvmmsg(in, messages, 2, MSG_WAITFORONE, NULL) == 1 && messages[0].msg_len == 10);
    CHECK(messages[0].msg_hdr.msg_iov == ranges && messages[1].msg_len == 0);
}

static void make_polled(void)
{
    make_pipe();
    polled[0] = (struct pollfd){-1, 1, 0};
    polled[1] = (struct pollfd){in, POLLIN, 0};
    polled[2] = (struct pollfd){-1, 1, 0};
}

static void wait_poll(void)
{
    CHECK(poll(polled, 3, -1) == 1 && polled[1].revents == POLLIN);
    CHECK(polled[0].events == 77 && polled[2].fd == -5); /* changed by the watcher meanwhile */
    CHECK(read(in, bytes + 500, 10) == 10);
}

static void wait_ppoll(void)
{
    sigset_t none;
    sigemptyset(&none);
    CHECK(ppoll(polled, 2, &(struct timespec){100, 0}, &none) == 1 && polled[1].revents == POLLIN);
    CHECK(read(in, bytes + 500, 10) == 10);
}

static void wait_select(void)
{
    FD_ZERO(&selected);
    FD_SET(in, &selected);
    FD_SET(out + 1, &selected);
    CHECK(dup2(extra, out + 1) == out + 1);
    CHECK(select(out + 2, &selected, NULL, NULL, NULL) == 1 && FD_ISSET(in, &selected));
    CHECK(read(in, bytes + 500, 10) == 10 && close(out + 1) == 0);
}

static void wait_epoll(void)
{
    int set = epoll_create1(0);
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, in, &(struct epoll_event){EPOLLIN, {.u64 = 0x1234}}) == 0);
    CHECK(epoll_wait(set, events, 4, -1) == 1 && events[0].data.u64 == 0x1234);
    CHECK(read(in, bytes + 500, 10) == 10 && close(set) == 0);
}

static void listen_there(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    CHECK((in = socket(AF_INET, SOCK_STREAM, 0)) >= 0 && bind(in, (void *)&at, size) == 0);
    CHECK(listen(in, 4) == 0 && (out = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
}

static void connect_to_it(void)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    CHECK(getsockname(in, (void *)&at, &size) == 0 && connect(out, (void *)&at, size) == 0);
}

static void wait_accept(void)
{
    from_size = sizeof from;
    int fd = accept(in, (void *)&from, &from_size);
    CHECK(fd >= 0 && from_size == sizeof from && from.sin_family == AF_INET && close(fd) == 0);
}

static void make_child(void)
{
    make_pipe();
    child = fork();
    if (child == 0)
        _exit(read(in, bytes, 1) == 1 ? 7 : 8);
}

static void end_child(void) { CHECK(write(out, "x", 1) == 1); }
static void wait_child(void) { CHECK(wait4(child, &status, 0, &usage) == child && WEXITSTATUS(status) == 7); }

static void wait_id(void)
{
    CHECK(waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_status == 7);
}

static void block_usr2(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static void wait_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(sigtimedwait(&set, &info, &(struct timespec){100, 0}) == SIGUSR2);
    CHECK(info.si_value.sival_int == 99);
}

static void queue_signal(void) { CHECK(pthread_sigqueue(waiter, SIGUSR2, (union sigval){.sival_int = 99}) == 0); }

static void on_usr1(int signal) { (void)signal; }

static void catch_usr1(void)
{
    struct sigaction action = {.sa_handler = on_usr1};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void wait_sleep(void)
{
    CHECK(nanosleep(&(struct timespec){100, 0}, &left) == -1 && errno == EINTR && left.tv_sec >= 50);
}

/* Until it has happened: the first may come before the sleep. */
static void interrupt(void)
{
    for (; waiting == 1; nap(1))
        CHECK(pthread_kill(waiter, SIGUSR1) == 0);
}

static void make_queue(void) { CHECK((in = msgget(IPC_PRIVATE, 0600)) >= 0); }
static void wait_message(void) { CHECK(msgrcv(in, &message, sizeof message.text, 5, 0) == 6); }

static void send_message(void)
{
    struct {
        long type;
        char text[40];
    } sent = {5, "hello"};
    CHECK(msgsnd(in, &sent, 6, 0) == 0);
}
static void remove_queue(void) { CHECK(msgctl(in, IPC_RMID, NULL) == 0); }

static void make_counter(void) { CHECK((in = out = eventfd(0, 0)) >= 0); }
static void wait_counter(void) { CHECK(read(in, bytes, 8) == 8 && bytes[0] == 3); }
static void count_up(void) { CHECK(write(out, &(uint64_t){3}, 8) == 8); }
static void close_one(void) { CHECK(close(in) == 0); }

static void make_timer(void) { CHECK((in = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0); }
static void start_timer(void) { CHECK(timerfd_settime(in, 0, &(struct itimerspec){{0, 0}, {0, 1000000}}, NULL) == 0); }
static void wait_timer(void) { CHECK(read(in, bytes, 8) == 8 && bytes[0] == 1); }

static void nothing(void) {}

static const struct kind {
    void (*prepare)(void), (*wait)(void), (*answer)(void), (*finish)(void);
    volatile void *place;
} kinds[] = {
    {make_pipe, wait_read, send_line, finish_pair, bytes},
    {make_pipe, wait_readv, send_line, finish_pair, bytes + 100},
    {make_stream, wait_recv, send_line, finish_pair, bytes + 4},
    {make_stream, wait_much, send_much, finish_pair, bytes + LARGE - 8},
    {ask_credentials, wait_recvmsg, send_line, finish_pair, control + 16},
    {ask_credentials, wait_recvmmsg, send_line, finish_pair, &messages[0].msg_len},
    {make_polled, wait_poll, send_line, finish_pair, &polled[1].revents},
    {make_polled, wait_ppoll, send_line, finish_pair, &polled[1].revents},
    {make_pipe, wait_select, send_line, finish_pair, &selected},
    {make_pipe, wait_epoll, send_line, finish_pair, events},
    {listen_there, wait_accept, connect_to_it, finish_pair, &from},
    {make_child, wait_child, end_child, finish_pair, &status},
    {make_child, wait_id, end_child, finish_pair, &info},
    {nothing, wait_signal, queue_signal, nothing, &info},
    {nothing, wait_sleep, interrupt, nothing, &left},
    {make_queue, wait_message, send_message, remove_queue, &message},
    {make_counter, wait_counter, count_up, close_one, bytes},
    {make_timer, wait_timer, start_timer, close_one, bytes},
};

static void clear(void)
{
    memset(bytes, 0, sizeof bytes);
    memset(control, 0, sizeof control);
    memset(messages, 0, sizeof messages);
    memset(polled, 0, sizeof polled);
    memset(&selected, 0, sizeof selected);
    memset(events, 0, sizeof events);
    memset(&from, 0, sizeof from);
    memset(&info, 0, sizeof info);
    memset(&left, 0, sizeof left);
    memset(&message, 0, sizeof message);
    status = 0;
}

static void *waits(void *kind)
{
    waiting = 1;
    ((const struct kind *)kind)->wait();
    waiting = 2;
    return NULL;
}

static void *answers(void *kind)
{
    do
        nap(1);
    while (!watched);
    ((const struct kind *)kind)->answer();
    return NULL;
}

/* The watcher may see the answer before the waiter has returned natively; what counts is that the
 * replay sees it at the same turn. */
static unsigned watch(const struct kind *k)
{
    const volatile unsigned *word = k->place;
    unsigned turns = 0;
    while (waiting == 0)
        turns++;
    nap(1);
    unsigned first = *word;
    polled[0].events = 77;
    polled[2].fd = -5;
    watched = 1;
    while (*word == first && waiting == 1)
        turns = turns * 31 + 1;
    return turns;
}

static void one(const struct kind *k)
{
    pthread_t answerer;
    waiting = watched = 0;
    clear();
    k->prepare();
    CHECK(pthread_create(&waiter, NULL, waits, (void *)k) == 0);
    CHECK(pthread_create(&answerer, NULL, answers, (void *)k) == 0);
    unsigned turns = watch(k);
    close(-1 - (int)(turns & 0xffffff)); /* a register that tells */
    CHECK(pthread_join(waiter, NULL) == 0 && pthread_join(answerer, NULL) == 0);
    k->finish();
}

/* Memory that cannot be written: nothing is lost. */
static void *reads_nowhere(void *page)
{
    CHECK(read(in, page, 100) == -1 && errno == EFAULT);
    return NULL;
}

static void unwritable(void)
{
    pthread_t t;
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    make_pipe();
    CHECK(pthread_create(&t, NULL, reads_nowhere, page) == 0);
    nap(1);
    CHECK(write(out, "kept", 4) == 4 && pthread_join(t, NULL) == 0);
    CHECK(read(in, bytes, 100) == 4 && !memcmp(bytes, "kept", 4));
    finish_pair();
    CHECK(munmap(page, 4096) == 0);
}

int main(void)
{
    CHECK((extra = eventfd(0, 0)) >= 0);
    block_usr2();
    catch_usr1();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        one(&kinds[i]);
    unwritable();
    return done();
}
