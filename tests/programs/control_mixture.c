/* A little of everything that moves the program counter, for a million transfers or so: the
 * suite of ticks stops in the middle of it.
 *
 * variants: static
 *
 * Nothing here depends on time, process number or addresses that are drawn at random.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint64_t add(uint64_t a) { return a + 3; }
static uint64_t mix(uint64_t a) { return a * 31 ^ a >> 5; }
static uint64_t flip(uint64_t a) { return ~a; }

static uint64_t through_pointers(int rounds)
{
    static uint64_t (*const steps[])(uint64_t) = {add, mix, flip, mix};
    uint64_t value = 1;
    for (int i = 0; i < rounds; i++)
        value = steps[draw() % 4](value);
    return value;
}

static uint64_t through_switch(int rounds)
{
    uint64_t a = 1, b = 2;
    for (int i = 0; i < rounds; i++) {
        switch (draw() % 7) {
        case 0: a += b; break;
        case 1: b ^= a << 3; break;
        case 2: a = a >> 1 | a << 63; break;
        case 3: b -= a; break;
        case 4: a *= 5; break;
        case 5: b = a & ~b; break;
        default: a ^= (uint64_t)i; break;
        }
    }
    return a ^ b;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t sorted(int count)
{
    uint32_t *numbers = malloc(sizeof *numbers * (size_t)count);
    for (int i = 0; i < count; i++)
        numbers[i] = (uint32_t)draw();
    qsort(numbers, (size_t)count, sizeof *numbers, by_value);
    uint32_t middle = numbers[count / 2];
    free(numbers);
    return middle;
}

static double sum_of_roots(int count)
{
    double sum = 0;
    for (int i = 1; i <= count; i++)
        sum += 1.0 / (i * (double)i);
    return sum;
}

static sigjmp_buf back;

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static int faults(int count)
{
    static volatile int seen;
    volatile int *nowhere = NULL;
    signal(SIGSEGV, on_fault);
    for (volatile int i = 0; i < count; i++)
        if (sigsetjmp(back, 1) == 0)
            *nowhere = 1;
        else
            seen++;
    signal(SIGSEGV, SIG_DFL);
    return seen;
}

/* mov eax, imm32; ret: written anew before each call. */
static uint64_t rewritten(int count)
{
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return 0;
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        uint32_t value = (uint32_t)(i * i);
        code[0] = 0xb8;
        memcpy(code + 1, &value, 4);
        code[5] = 0xc3;
        sum += ((uint32_t(*)(void))(uintptr_t)code)();
    }
    munmap(code, 4096);
    return sum;
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        printf("fib %u\n", fib(21));
        printf("pointers %016llx\n", (unsigned long long)through_pointers(30000));
        printf("switch %016llx\n", (unsigned long long)through_switch(50000));
        printf("sorted %08x\n", sorted(5000));
        printf("roots %.12f\n", sum_of_roots(20000));
        printf("faults %d\n", faults(20));
        printf("rewritten %llu\n", (unsigned long long)rewritten(40));
        fflush(stdout);
    }
    puts("done");
    return 0;
}
