/* What does an indirect jump cost that goes somewhere else each time?  A switch interpreter of
 * a small stack machine; the argument is how many million steps it runs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum op { PUSH, ADD, SUB, XOR, SHIFT, DUPLICATE, SWAP, DROP, JUMP_IF, JUMP };

static const uint8_t program[] = {
    PUSH, 7, DUPLICATE, PUSH, 3, ADD, XOR, DUPLICATE, SHIFT, 5, SWAP, SUB, DUPLICATE, PUSH, 1,
    ADD, SWAP, DROP, DUPLICATE, JUMP_IF, 25, PUSH, 11, XOR, DUPLICATE, DROP, PUSH, 13, ADD,
    JUMP, 2,
};

static uint64_t run(long steps)
{
    uint64_t stack[64] = {1, 2, 3};
    unsigned top = 2, pc = 0;
    while (steps-- > 0) {
        switch (program[pc++]) {
        case PUSH: stack[++top & 63] = program[pc++]; break;
        case ADD: top--; stack[top & 63] += stack[(top + 1) & 63]; break;
        case SUB: top--; stack[top & 63] -= stack[(top + 1) & 63]; break;
        case XOR: top--; stack[top & 63] ^= stack[(top + 1) & 63]; break;
        case SHIFT: stack[top & 63] ^= stack[top & 63] << program[pc++]; break;
        case DUPLICATE: top++; stack[top & 63] = stack[(top - 1) & 63]; break;
        case SWAP: {
            uint64_t kept = stack[top & 63];
            stack[top & 63] = stack[(top - 1) & 63];
            stack[(top - 1) & 63] = kept;
            break;
        }
        case DROP: top--; break;
        case JUMP_IF: pc = stack[top-- & 63] & 4 ? program[pc] : pc + 1; break;
        case JUMP: pc = program[pc]; break;
        }
    }
    return stack[top & 63];
}

int main(int argc, char **argv)
{
    long millions = argc > 1 ? atol(argv[1]) : 300;
    printf("%016llx\n", (unsigned long long)run(millions * 1000000));
    return 0;
}
