/* What questions are asked about: recursion, threads, a signal handler on a stack of its own,
 * longjmp out of nested calls. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int counter, limit = 5;
static jmp_buf out;
static char alternate[65536];

__attribute__((noinline)) int leaf(int n)
{
    counter += n & 3; /* now and then the same value */
    return n * 2;
}

__attribute__((noinline)) int walk(int n)
{
    int sum = leaf(n);
    if (n > 0)
        sum += walk(n - 1) + (n & 1 ? walk(n - 2) : 0);
    return sum;
}

__attribute__((noinline)) int twice(int n)
{
    int a = leaf(n);
    int b = walk(n / 2);
    return a + b;
}

__attribute__((noinline)) void deep(int n)
{
    leaf(n);
    if (n == 0)
        longjmp(out, 1);
    deep(n - 1);
    counter--;
}

static void on_signal(int number)
{
    leaf(number);
}

static void *work(void *argument)
{
    int n = (int)(long)argument;
    for (int i = 0; i < 3; i++) {
        twice(n + i);
        sched_yield();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < 3; i++) {
        if (!setjmp(out))
            deep(i);
        raise(SIGUSR1);
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 2));
    twice(limit);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter == 0;
}
