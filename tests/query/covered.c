/* Loops, recursion, a switch, code that never runs, and signal handlers that jump out of faults. At
 * its end it prints how often its functions were called. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static unsigned leaves, trees, rest, kinds[3];
static volatile unsigned faults;
static sigjmp_buf back;

static void leaf(void)
{
    leaves++;
}

static void tree(int depth)
{
    trees++;
    if (depth == 0) {
        leaf();
        return;
    }
    tree(depth - 1);
    if (depth % 3)
        tree(depth - 1);
}

static int kind_of(int n)
{
    rest++;
    switch (n % 4) {
    case 0:
        return 0;
    case 1:
        kinds[1]++;
        return 1;
    default:
        break;
    }
    return 2;
}

static void never(void)
{
    leaf();
}

static void on_fault(int signal)
{
    (void)signal;
    faults++;
    siglongjmp(back, 1);
}

static void fault(volatile int *where)
{
    *where = 1;
    leaf(); /* never runs: gcov does not see the fault */
}

static void try_fault(void)
{
    if (!sigsetjmp(back, 1)) /* is passed twice: gcov does not see the jump */
        fault(NULL);
}

int main(int argc, char **argv)
{
    char text[200];
    (void)argv;
    signal(SIGSEGV, on_fault);
    tree(12);
    for (int i = 0; i < 1000; i++) {
        memset(text, i, sizeof text);
        kinds[kind_of(text[i % 200])]++;
    }
    for (int i = 0; i < 20; i++)
        try_fault();
    if (argc > 1)
        never();
    printf("leaf %u\ntree %u\nkind_of %u\non_fault %u\n", leaves, trees, rest, faults);
    return 0;
}
