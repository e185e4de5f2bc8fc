/* Signals: raised by the program, by a fault that the handler mends, and by a timer. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

static volatile int alarms, users;
static char *page;

static int square(int x)
{
    int y = x * x;
    return y;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    char *at = (char *)((unsigned long)info->si_addr & ~4095ul);
    mprotect(at, 4096, PROT_READ | PROT_WRITE);
}

static void on_user(int signal)
{
    (void)signal;
    users += square(users + 2);
}

static void on_alarm(int signal)
{
    (void)signal;
    alarms++;
    if (alarms == 2)
        raise(SIGUSR1);
}

static int fill(int n)
{
    page[n] = (char)n;
    *page = 1;
    return page[n];
}

static void handle(int signal, void (*handler)(int), void (*with_info)(int, siginfo_t *, void *))
{
    struct sigaction how = {.sa_handler = handler};
    if (with_info) {
        how.sa_sigaction = with_info;
        how.sa_flags = SA_SIGINFO;
    }
    sigaction(signal, &how, NULL);
}

int main(void)
{
    struct itimerval timer = {{0, 30}, {0, 30}}, off = {{0, 0}, {0, 0}};
    page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handle(SIGSEGV, NULL, on_fault);
    handle(SIGUSR1, on_user, NULL);
    handle(SIGALRM, on_alarm, NULL);
    int sum = fill(7) + fill(9);
    raise(SIGUSR1);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (long n = 0; alarms < 4 && n < 400000000; n++) {
        sum ^= square((int)n & 15);
        for (volatile int spin = 0; spin < 3; spin++)
            ;
    }
    setitimer(ITIMER_REAL, &off, NULL);
    printf("%s\n", users ? "done" : "none");
    return 0;
}
