/* Loops on one line, of every kind that a step over a line can meet: without calls, with calls, in
 * a function that is a line itself, left by longjmp, interrupted by signals, beside a thread. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile int total, caught;
static jmp_buf jump;

static int plus(int x)
{
    int y = x;
    return y + 1;
}

static int deep(int n) { return n > 0 ? deep(n - 1) + 1 : 0; }
static inline __attribute__((always_inline)) int inlined(int n) { total += n; return total; }

static void leave(int n)
{
    if (n == 3)
        longjmp(jump, 1);
}

static void handler(int signal)
{
    caught += signal;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *beside(void *unused)
{
    for (int i = 0; i < 40; i++) total += plus(i);
    return unused;
}

static void plain(void)
{
    int i, n = 0;
    for (i = 0; i < 40; i++) n += i;
    total = n;
    while (n > 700) n -= 1;
    do { n++; } while (n < 730);
    total = n;
}

static void calling(void)
{
    int i, n = 0, list[12];
    for (i = 0; i < 20; i++) n += plus(i);
    for (i = 0; i < 12; i++) n += plus(i) + plus(n), list[i] = n % 7;
    for (i = 0; i < 4; i++) qsort(list, 12, sizeof *list, compare);
    for (i = 0; i < 12; i++) n += i % 3 ? plus(deep(i)) : inlined(i);
    for (i = 0; i < 10; i++) { char room[64]; memset(room, i, sizeof room); n += room[i]; }
    total = n;
}

static void odd(void)
{
    int i;
    signal(SIGUSR1, handler);
    for (i = 0; i < 10; i++) if (i % 3 == 1) raise(SIGUSR1);
    if (!setjmp(jump))
        for (i = 0; i < 10; i++) leave(i);
    total = deep(12);
}

int main(void)
{
    pthread_t thread;
    plain();
    calling();
    odd();
    pthread_create(&thread, NULL, beside, NULL);
    for (int i = 0; i < 40; i++) total += plus(i);
    pthread_join(thread, NULL);
    plain();
    return 0;
}
