/* A fault without a handler kills the program with its own signal.
 *
 * variants: static
 * args: read | write | jump | divide | illegal | trap | abort | general | stack
 */
#include "check.h"
#include <sys/resource.h>

static int deeper(int n)
{
    volatile char room[4096];
    room[0] = n;
    return n < 0 ? 0 : deeper(n + 1) + room[0];
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_STACK, &(struct rlimit){4 << 20, 4 << 20});
    done();
    fflush(stdout);
    volatile int zero = 0;
    switch (argv[1][0] + argv[1][1]) {
    case 'r' + 'e': return *(volatile char *)8;
    case 'w' + 'r': *(volatile char *)"literal" = 1; break;
    case 'j' + 'u': ((void (*)(void))16)(); break;
    case 'd' + 'i': return 7 / zero;
    case 'i' + 'l': __asm__ volatile("ud2"); break;
    case 't' + 'r': __asm__ volatile("int3"); break;
    case 'a' + 'b': abort();
    case 'g' + 'e': return *(volatile char *)0x8000000000000000;
    case 's' + 't': return deeper(0);
    }
    return 3;
}
