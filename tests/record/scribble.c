/* scribble HOW: spoils memory, as broken programs do.
 *
 *   up        fills from a variable on the stack upwards
 *   down      copies from the heap downwards
 *   random N  stores to addresses from all over the place, seed N, past its own handler for SIGSEGV
 *   at HEX    stores there, and for a while beyond
 *   null      stores near address 0
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;

static void on_fault(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

/* In a function of its own, so that the compiler cannot know better. */
__attribute__((noinline)) static void store(volatile char *at, long count, int step)
{
    for (long i = 0; i < count; i++, at += step)
        *at = (char)0xa5;
}

/* Of the whole address space; natively next to none of it is there. */
static unsigned long pick(unsigned long *seed)
{
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return *seed >> 17;
}

static int scribble_randomly(unsigned long seed)
{
    volatile int faults = 0;
    signal(SIGSEGV, on_fault);
    for (volatile int i = 0; i < 3000; i++) {
        if (sigsetjmp(back, 1) == 0)
            store((char *)pick(&seed), 1, 1);
        else
            faults++;
    }
    printf("%d faults\n", faults);
    return 0;
}

int main(int argc, char **argv)
{
    char here[16];
    const char *how = argc > 1 ? argv[1] : "up";
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("before\n");
    if (strcmp(how, "up") == 0)
        store(here, 1l << 40, 1);
    else if (strcmp(how, "down") == 0)
        store(malloc(16), 1l << 40, -1);
    else if (strcmp(how, "at") == 0)
        store((char *)strtoul(argv[2], NULL, 16), 1l << 30, 8);
    else if (strcmp(how, "null") == 0)
        store((char *)8, 1, 1);
    else
        return scribble_randomly(strtoul(argv[2], NULL, 10));
    return 0;
}
