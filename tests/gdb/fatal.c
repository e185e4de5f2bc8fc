/* Ends by the signal whose origin the argument names. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int zero, kept;

int main(int argc, char **argv)
{
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0: *(volatile int *)0x1234 = 5; break;
    case 1: kept = *(volatile int *)0x8000000000001234; break;
    case 2: kept = 100 / zero; break;
    case 3: __builtin_trap(); break;
    case 4: __asm__ volatile("int3"); break;
    case 5: ((void (*)(void))0x10)(); break;
    case 6: raise(SIGSEGV); break;
    case 7: kill(getpid(), SIGTERM); break;
    case 8: abort(); break;
    }
    return 0;
}
