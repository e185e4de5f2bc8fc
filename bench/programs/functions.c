/* Calls many small functions in turn, which it has generated: functions COUNT CALLS. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STRIDE = 32 };

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    size_t count = strtoul(argv[1], NULL, 0), rounds = strtoul(argv[2], NULL, 0) / count;
    uint8_t *code = mmap(NULL, count * STRIDE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                         -1, 0);
    if (code == MAP_FAILED)
        return 1;
    for (uint32_t n = 0; n < count; n++) {
        uint8_t *at = code + n * STRIDE;
        memcpy(at, "\x48\x8d\x87", 3); /* lea rax, [rdi + n]; ret */
        memcpy(at + 3, &n, sizeof(n));
        at[7] = 0xc3;
    }
    mprotect(code, count * STRIDE, PROT_READ | PROT_EXEC);
    uint64_t sum = 0;
    for (size_t round = 0; round < rounds; round++)
        for (size_t n = 0; n < count; n++)
            sum = ((uint64_t (*)(uint64_t))(code + n * STRIDE))(sum) ^ round;
    printf("%lu\n", (unsigned long)sum);
    return 0;
}
