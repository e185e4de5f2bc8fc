/* Millions of statements, for movements that count them: branches, calls, faults between two statements, a thread that has some, too. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

enum { ROUNDS = 400000 };

static volatile unsigned char *page;
static volatile unsigned others, stop;

static void on_fault(int signal)
{
    (void)signal;
    mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
}

__attribute__((noinline)) static unsigned touch(unsigned n)
{
    unsigned a = n * 3;
    a ^= a >> 2;
    page[n & 4095] = (unsigned char)a; /* may fault: what follows has not been met yet */
    a += page[(n * 7) & 4095];
    a *= 5;
    others++;
    return a;
}

__attribute__((noinline)) static unsigned depth(unsigned n)
{
    if (n < 2)
        return n;
    unsigned half = depth(n / 2);
    return half + (n & 1);
}

__attribute__((noinline)) static unsigned choose(unsigned n, unsigned sum)
{
    switch (n % 5) {
    case 0:
        return sum + 1;
    case 1:
        sum ^= n;
        return sum;
    case 2:
        return depth(n % 64) + sum;
    default:
        break;
    }
    for (unsigned i = 0; i < n % 3; i++)
        sum += i;
    return sum;
}

static void *other(void *unused)
{
    while (!stop)
        others++;
    return unused;
}

__attribute__((noinline)) static unsigned begin(void)
{
    unsigned sum = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        sum = choose(n, sum);
        sum += touch(n);
        if (n % 700 == 0)
            mprotect((void *)page, 4096, PROT_NONE);
    }
    return sum;
}

int main(void)
{
    pthread_t thread;
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, on_fault);
    pthread_create(&thread, NULL, other, NULL);
    unsigned sum = begin();
    stop = 1;
    pthread_join(thread, NULL);
    printf("%u\n", sum);
    return 0;
}
