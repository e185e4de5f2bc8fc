/* Signals that an instruction causes, that the program sends itself, and that a timer sends; jumps
 * out of handlers, traps. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int seen, alarms;

static void jump_out(int signal)
{
    seen += signal;
    siglongjmp(back, 1);
}

static void skip(int signal, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    (void)info;
    seen += signal;
    c->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 */
}

static void note(int signal)
{
    seen += signal;
}

static void count_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static void on(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(signal, &action, NULL);
}

static void trace_a_little(void)
{
    __asm__ volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; nop; xor %%eax, %%eax;"
                     "pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" : : : "rax", "memory", "cc");
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
    struct itimerval soon = {.it_value = {0, 1000}};
    sigset_t alarm_only, before;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    on(SIGSEGV, jump_out);
    on(SIGTRAP, note);
    on(SIGUSR1, note);
    on(SIGALRM, count_alarm);
    sigaction(SIGILL, &action, NULL);
    for (int n = 0; n < 3; n++)
        if (!sigsetjmp(back, 1))
            *(volatile int *)(8 + (long)n) = 1;
    __asm__ volatile("ud2");
    __asm__ volatile("int3");
    trace_a_little();
    raise(SIGUSR1);
    setitimer(ITIMER_REAL, &soon, NULL);
    for (volatile int n = 0; n < 2000 && !alarms; n++) {
    }
    sigprocmask(SIG_BLOCK, &alarm_only, &before);
    while (!alarms)
        sigsuspend(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    printf("%d\n", seen);
    fflush(stdout);
    on(SIGSEGV, SIG_DFL);
    if (seen)
        *(volatile int *)16 = 1;
    return 0;
}
