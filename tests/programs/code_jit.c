/* A small JIT: compiles random expressions to x86, runs them, compares with an interpreter;
 * memory is reused, as real ones do.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>

enum { OPS = 40, ROOM = 65536 };

struct op {
    int kind, value;
};

static unsigned seed = 99;

static unsigned next_random(void)
{
    seed = seed * 1103515245 + 12345;
    return seed >> 8;
}

static uint32_t interpret(const struct op *ops, uint32_t x)
{
    for (int i = 0; i < OPS; i++) {
        switch (ops[i].kind) {
        case 0: x += ops[i].value; break;
        case 1: x ^= ops[i].value; break;
        case 2: x *= (uint32_t)ops[i].value; break;
        case 3: x = x << 7 | x >> 25; break;
        case 4: if (x & 1) x += 3; break;
        }
    }
    return x;
}

static unsigned char *put(unsigned char *p, const char *bytes, int n)
{
    memcpy(p, bytes, n);
    return p + n;
}

static unsigned char *compile(unsigned char *p, const struct op *ops)
{
    p = put(p, "\x89\xf8", 2);                       /* mov %edi, %eax */
    for (int i = 0; i < OPS; i++) {
        const char *value = (const char *)&ops[i].value;
        switch (ops[i].kind) {
        case 0: p = put(put(p, "\x05", 1), value, 4); break;
        case 1: p = put(put(p, "\x35", 1), value, 4); break;
        case 2: p = put(put(p, "\x69\xc0", 2), value, 4); break;
        case 3: p = put(p, "\xc1\xc0\x07", 3); break;
        case 4: p = put(p, "\xa8\x01\x74\x03\x83\xc0\x03", 7); break;
        }
    }
    return put(p, "\xc3", 1);
}

int main(void)
{
    unsigned char *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(room != MAP_FAILED);
    unsigned char *p = room;
    uint32_t hash = 0;
    for (int i = 0; i < 1500; i++) {
        struct op ops[OPS];
        for (int k = 0; k < OPS; k++)
            ops[k] = (struct op){next_random() % 5, next_random()};
        if (p + OPS * 8 > room + ROOM)
            p = room;
        unsigned char *start = p;
        p = compile(p, ops);
        for (uint32_t x = 0; x < 5; x++) {
            uint32_t got = ((uint32_t (*)(uint32_t))start)(x * 12345);
            CHECK(got == interpret(ops, x * 12345));
            hash = hash * 31 + got;
        }
    }
    printf("%08x\n", hash);
    return done();
}
