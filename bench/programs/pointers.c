/* What does a call through a pointer cost?  Small functions from a table, chosen by a
 * generator; the argument is how many million calls. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t add(uint64_t a) { return a + 12345; }
static uint64_t rotate(uint64_t a) { return a << 7 | a >> 57; }
static uint64_t multiply(uint64_t a) { return a * 0x9e3779b97f4a7c15u; }
static uint64_t fold(uint64_t a) { return a ^ a >> 29; }

static uint64_t (*const table[])(uint64_t) = {add, rotate, multiply, fold,
                                              fold, multiply, rotate, add};

int main(int argc, char **argv)
{
    long calls = (argc > 1 ? atol(argv[1]) : 200) * 1000000;
    uint64_t value = 1;
    uint32_t which = 1;
    for (long i = 0; i < calls; i++) {
        which = which * 1664525 + 1013904223;
        value = table[which >> 24 & (i & 1024 ? 7 : 1)](value);
    }
    printf("%016llx\n", (unsigned long long)value);
    return 0;
}
