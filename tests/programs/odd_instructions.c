/* Instructions compilers seldom emit: enter, leave, xlat, bt on memory beyond its operand,
 * cmpxchg8b, sahf, rotates through carry, moves by absolute address, odd prefixes.
 *
 * variants: static nopie
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>

static unsigned char table[256];
static unsigned bits[64];

static void stack_instructions(void)
{
    unsigned long before, after, inside, top = 0;
    __asm__ volatile("sub $256, %%rsp\n mov %%rsp, %0\n push %%rbp\n pop %3\n"
                     "enter $32, $0\n mov %%rbp, %2\n leave\n mov %%rsp, %1\n add $256, %%rsp"
                     : "=&r"(before), "=&r"(after), "=&r"(inside), "=&r"(top) : : "memory", "cc");
    CHECK(before == after && inside == before - 8);
    unsigned long pushed, popped = 0;
    __asm__ volatile("sub $256, %%rsp\n mov %%rsp, %0\n push %%rsp\n pop %1\n"
                     "push $5\n push $6\n pop 8(%%rsp)\n pop %2\n add $256, %%rsp"
                     : "=&r"(before), "=&r"(pushed), "=&r"(popped) : : "memory", "cc");
    CHECK(pushed == before);            /* push %rsp stores the old value */
    CHECK(popped == 5);                 /* the address of pop is taken after rsp moved */
    __asm__ volatile("sub $256, %%rsp\n mov %%rsp, %0\n pushw $7\n lea 2(%%rsp), %1\n popw %%ax\n"
                     "movzwl %%ax, %%eax\n mov %%rax, %2\n add $256, %%rsp"
                     : "=&r"(before), "=&r"(after), "=&r"(popped) : : "rax", "memory", "cc");
    CHECK(before == after && popped == 7);
    __asm__ volatile("sub $256, %%rsp\n lea -64(%%rsp), %0\n push %0\n pop %%rcx\n"
                     "xchg %%rsp, %%rcx\n push $3\n pop %1\n mov %%rcx, %%rsp\n add $256, %%rsp"
                     : "=&r"(before), "=&r"(popped) : : "rcx", "memory", "cc");
    CHECK(popped == 3);
}

static void bit_instructions(void)
{
    unsigned char carry;
    long index = 1000;
    __asm__ volatile("bts %2, %1\n setc %0" : "=q"(carry), "+m"(bits[0]) : "r"(index)
                     : "cc", "memory");
    CHECK(!carry && bits[1000 / 32] == 1u << 1000 % 32);
    index = -7 * 32L + 5;
    bits[3] = 1 << 5;
    __asm__ volatile("btrq %2, %1\n setc %0" : "=q"(carry), "+m"(*(long *)&bits[10]) : "r"(index)
                     : "cc", "memory");
    CHECK(carry && bits[3] == 0);
    unsigned long a = 0x8000000000000001, count = 3;
    __asm__ volatile("stc\n rcl %%cl, %0\n setc %1" : "+r"(a), "=q"(carry) : "c"(count) : "cc");
    CHECK(a == 0xe && !carry);
    __asm__ volatile("shld $8, %1, %0" : "+r"(a) : "r"(0xabUL << 56) : "cc");
    CHECK(a == 0xeab);
    unsigned flags;
    __asm__ volatile("mov $0xd5, %%ah\n sahf\n mov $0, %%eax\n lahf\n mov %%eax, %0"
                     : "=r"(flags) : : "rax", "cc");
    CHECK((flags >> 8 & 0xff) == 0xd7);
    __asm__ volatile("mov $0xff, %%al\n add $1, %%al\n mov $0, %%eax\n seto %%al\n setc %%ah\n"
                     "mov %%eax, %0" : "=r"(flags) : : "rax", "cc");
    CHECK(flags == 0x100);
}

static void memory_instructions(void)
{
    static unsigned long target = 0x1122334455667788, pair = 5;
    unsigned long value;
    __asm__ volatile("xlat" : "=a"(value) : "a"(0xff00 | 77), "b"(table));
    CHECK((value & 0xff) == (77 * 3 & 0xff) && (value & 0xff00) == 0xff00);
    unsigned char swapped;
    __asm__ volatile("lock cmpxchg8b %0\n setz %1" : "+m"(pair), "=q"(swapped)
                     : "a"(5), "d"(0), "b"(7), "c"(1) : "cc", "memory");
    CHECK(swapped && pair == (1UL << 32 | 7));
    unsigned offset = 0xfffffff8;       /* with an address of 32 bits the sum wraps */
    char *low = mmap((void *)0x30000000, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(low != MAP_FAILED);
    if ((unsigned long)low < 1UL << 32) {
        *(unsigned long *)low = target;
        __asm__ volatile("mov (%k1, %k2), %0"
                         : "=r"(value) : "r"(low + 8), "r"((unsigned long)offset));
        CHECK(value == target);
    }
}

static void prefixed(void)
{
    static unsigned long place = 0x0102030405060708;
    unsigned long value;
    __asm__ volatile("movbe %1, %0" : "=r"(value) : "m"(place));
    CHECK(value == 0x0807060504030201);
    __asm__ volatile("mov $3, %%eax\n .byte 0x2e, 0x3e\n add $4, %%eax\n mov %%eax, %k0"
                     : "=r"(value) : : "rax", "cc");
    CHECK(value == 7);
}

int main(void)
{
    for (int i = 0; i < 256; i++)
        table[i] = i * 3;
    stack_instructions();
    bit_instructions();
    memory_instructions();
    prefixed();
    return done();
}
