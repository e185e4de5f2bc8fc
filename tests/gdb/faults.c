/* Signals of every origin, each handled: faults that the program raises, and what others send.
 *
 *   faults          all of them, then status 0
 *   faults crash    a last fault, whose handler ends the program with status 3
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int zero, kept;
static volatile double nothing, quotient;
static volatile sig_atomic_t seen;

static void leave(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    siglongjmp(back, number);
}

static void note(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    seen++;
}

static void give_up(int number)
{
    static const char text[] = "giving up\n";
    _exit(write(2, text, sizeof text - 1) == number ? 4 : 3);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(number, &action, NULL);
}

static void fault(int which)
{
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *empty = which == 6 ? tmpfile() : NULL;
    if (sigsetjmp(back, 1) != 0)
        return;
    switch (which) {
    case 0: *(volatile int *)0x1234 = 5; break;
    case 1: kept = *(volatile int *)0x8000000000001234; break;
    case 2: *(volatile char *)page = 1; break;
    case 3: kept = 100 / zero; break;
    case 4: __builtin_trap(); break;
    case 5: __asm__ volatile("int3"); break;
    case 6: kept = *(char *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(empty), 0); break;
    case 7: ((void (*)(void))0x10)(); break;
    case 8: feenableexcept(FE_DIVBYZERO); quotient = 1 / nothing; break;
    }
}

static void wait_for(int count)
{
    while (seen < count)
        usleep(1000);
}

static void be_sent(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    timer_t timer;
    const int numbers[] = {SIGUSR1, SIGUSR2, SIGHUP, SIGCHLD, SIGRTMIN + 1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        handle(numbers[i], note);
    kill(getpid(), SIGUSR1);
    raise(SIGUSR2);
    sigqueue(getpid(), SIGHUP, (union sigval){.sival_int = 77});
    wait_for(3);
    pid_t child = fork();
    if (child == 0)
        _exit(9);
    wait_for(4);
    waitpid(child, NULL, 0);
    event.sigev_value.sival_int = 88;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    wait_for(5);
}

int main(int argc, char **argv)
{
    const int numbers[] = {SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGBUS};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        handle(numbers[i], leave);
    for (int i = 0; i < 9; i++)
        fault(i);
    be_sent();
    if (argc > 1 && strcmp(argv[1], "crash") == 0) {
        signal(SIGSEGV, give_up);
        *(volatile int *)0x5678 = 1;
    }
    return 0;
}
