/* Stacks that are made by makecontext and changed by swapcontext: two that take turns, one that is never come back to. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 65536, GUARD = 4096 };

static ucontext_t home, coroutine[3];
static int yielded, total;

static int weigh(int n)
{
    int weight = n * 2;
    return weight + 1;
}

static int yield(int who, int value)
{
    yielded = value;
    swapcontext(&coroutine[who], &home);
    return yielded + who;
}

static void produce(int who)
{
    int sum = 0;
    for (int n = 0; n < 3; n++) {
        sum += yield(who, weigh(n));
        sum += weigh(sum);
    }
    total += sum;
}

static void never_ends(int who)
{
    for (int n = 0;; n++)
        yield(who, n + weigh(who));
}

static int resume(int who)
{
    swapcontext(&home, &coroutine[who]);
    return weigh(yielded);
}

static void make(int who, void (*f)(int))
{
    /* Areas of their own, with gaps. */
    char *stack = mmap(NULL, STACK + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack + GUARD, STACK, PROT_READ | PROT_WRITE);
    getcontext(&coroutine[who]);
    coroutine[who].uc_stack = (stack_t){.ss_sp = stack + GUARD, .ss_size = STACK};
    coroutine[who].uc_link = &home;
    makecontext(&coroutine[who], (void (*)(void))f, 1, who);
}

int main(void)
{
    int sum = 0;
    make(0, produce);
    make(1, produce);
    make(2, never_ends);
    for (int round = 0; round < 4; round++) {
        sum += resume(0);
        sum += resume(1) + resume(2);
    }
    sum += weigh(total);
    printf("%d\n", sum);
    return 0;
}
