/* A dense switch (a jump table) and a computed goto: one indirect jump with many targets.
 *
 * variants: static nopie
 * settings: yes
 */
#include "check.h"

__attribute__((noinline)) static unsigned step(unsigned op, unsigned x)
{
    switch (op) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x ^ 0x55;
    case 3: return x >> 1;
    case 4: return x << 3 | x >> 29;
    case 5: return ~x;
    case 6: return x - 77;
    case 7: return x * x;
    case 8: return x % 1000003;
    case 9: return x | 0x10;
    default: return x + op;
    }
}

static unsigned threaded(const unsigned char *code)
{
    static const void *const ops[] = {&&add, &&mul, &&xor, &&rot, &&end};
    unsigned x = 1;
    goto *ops[*code++];
add: x += 7; goto *ops[*code++];
mul: x *= 31; goto *ops[*code++];
xor: x ^= 0xabcd; goto *ops[*code++];
rot: x = x << 5 | x >> 27; goto *ops[*code++];
end: return x;
}

int main(void)
{
    unsigned x = 1, seed = 1;
    for (int i = 0; i < 300000; i++) {
        seed = seed * 1103515245 + 12345;
        x = step((seed >> 16) % 13, x);
    }
    printf("%08x\n", x);
    static unsigned char code[50001];
    for (int i = 0; i < 50000; i++) {
        seed = seed * 1103515245 + 12345;
        code[i] = (seed >> 16) & 3;
    }
    code[50000] = 4;
    printf("%08x\n", threaded(code));
    return done();
}
