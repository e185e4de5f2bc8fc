/* Handlers on a stack of their own: returning, nested, and left by siglongjmp. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static char stack[65536];
static sigjmp_buf back;
static volatile int handled;

static int weigh(int n)
{
    int weight = 1;
    while (n > 0) {
        weight += n;
        n -= 2;
    }
    return weight;
}

static void on_user(int signal)
{
    (void)signal;
    handled += weigh(3);
    if (handled < 12)
        raise(SIGUSR2);
    handled++;
}

static void on_other(int signal)
{
    (void)signal;
    handled += weigh(1);
}

static void on_fault(int signal)
{
    (void)signal;
    int value = weigh(4);
    siglongjmp(back, value);
}

static int fault(volatile int *at)
{
    int before = weigh(2);
    *at = before;
    return before;
}

static int try_it(int n)
{
    int jumped = sigsetjmp(back, 1);
    if (jumped)
        return jumped + n;
    int value = fault(NULL);
    return value;
}

int main(void)
{
    stack_t here = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&here, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_user, .sa_flags = SA_ONSTACK}, NULL);
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_other, .sa_flags = SA_ONSTACK}, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_fault, .sa_flags = SA_ONSTACK}, NULL);
    raise(SIGUSR1);
    int sum = try_it(1) + weigh(2);
    raise(SIGUSR1);
    sum += try_it(2);
    printf("%d %d\n", sum, handled);
    return 0;
}
