/* What a program is shown of the processor must hang together: levels [LIMIT]
 *
 * With a LIMIT (a mask of XCR0 in hexadecimal) no state beyond it is shown.  cpuid, xgetbv, what
 * xsave writes and what a signal frame holds must all say the same.  Prints what is wrong, and
 * `done`.
 */
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

enum { ROOM = 16384, SW_RESERVED = 464, XSTATE_SIZE = 16, XSTATE_FEATURES = 8, FILL = 0xa5 };

static unsigned char area[ROOM] __attribute__((aligned(64)));
static unsigned frame_size;
static unsigned long frame_features;
static int wrong;

static void check(const char *what, int right)
{
    if (!right)
        printf("wrong: %s\n", what);
    wrong |= !right;
}

static unsigned long xgetbv(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (unsigned long)high << 32 | low;
}

static void handler(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    const unsigned char *image = (const void *)((ucontext_t *)context)->uc_mcontext.fpregs;
    memcpy(&frame_size, image + SW_RESERVED + XSTATE_SIZE, sizeof frame_size);
    memcpy(&frame_features, image + SW_RESERVED + XSTATE_FEATURES, sizeof frame_features);
}

/* Asks for everything if there is a limit, else for what is shown. */
static void check_xsave(unsigned size, unsigned long shown, unsigned long asked)
{
    unsigned long present;
    memset(area, FILL, sizeof area);
    memset(area + 512, 0, 64);
    __asm__ volatile("xsave64 (%0)" : : "r"(area), "a"(asked), "d"(asked >> 32) : "memory");
    memcpy(&present, area + 512, sizeof present);
    check("xsave saves what is not shown", !(present & ~shown));
    size_t end = sizeof area;
    while (end > 0 && area[end - 1] == FILL)
        end--;
    check("xsave writes beyond the size that cpuid says", end <= size);
    check("xsave writes nothing", end >= 512);
    __asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(asked), "d"(asked >> 32) : "memory");
}

int main(int argc, char **argv)
{
    unsigned eax, ebx, ecx, edx, size;
    unsigned long limit = argc > 1 ? strtoul(argv[1], NULL, 16) : ~0ul;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        return 1;
    if (!(ecx & bit_OSXSAVE)) {
        check("avx without xsave", !(ecx & bit_AVX));
        puts("done");
        return wrong;
    }
    unsigned long shown = xgetbv();
    check("xgetbv shows a state beyond the limit", !(shown & ~limit));
    __cpuid_count(0xd, 0, eax, size, ecx, edx);
    check("cpuid shows a state beyond the limit", !(eax & ~limit));
    check_xsave(size, shown, argc > 1 ? ~0ul : shown);

    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    check("a frame shows a state beyond the limit", !(frame_features & ~limit));
    check("a frame is larger than cpuid says", frame_size <= size);
    if (argc > 1) {
        __cpuid_count(7, 0, eax, ebx, ecx, edx);
        check("avx512f is shown", !(ebx & bit_AVX512F));
        check("rtm is shown", !(ebx & bit_RTM));
        check("fsgsbase is shown", !(ebx & bit_FSGSBASE) && !getauxval(AT_HWCAP2));
        check("features behind leaf 7 are shown", !ecx && !eax);
    }
    puts("done");
    return wrong;
}
