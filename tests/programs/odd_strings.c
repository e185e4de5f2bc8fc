/* String instructions: every size, both directions, counts of zero, and a fault half-way,
 * which a handler mends and the instruction goes on.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>
#include <ucontext.h>

static char *memory;
static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *p)
{
    greg_t *r = ((ucontext_t *)p)->uc_mcontext.gregs;
    uintptr_t address = (uintptr_t)info->si_addr;
    CHECK(sig == SIGSEGV && ++faults < 100);
    CHECK(address == (uintptr_t)memory + 4096);
    /* rdi and rcx stand at the element that faulted: what was done is done */
    CHECK(r[REG_RDI] == (greg_t)address && r[REG_RCX] == 50);
    CHECK(mprotect(memory + 4096, 4096, PROT_READ | PROT_WRITE) == 0);
}

static void half_way(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    for (int i = 1; i <= 10; i++) {
        CHECK(mprotect(memory + 4096, 4096, PROT_NONE) == 0);
        char *to = memory + 4096 - 200;
        long count = 100;
        __asm__ volatile("rep stosl" : "+D"(to), "+c"(count) : "a"(i * 0x01010101) : "memory");
        CHECK(faults == i && count == 0 && to == memory + 4096 + 200);
        CHECK(memory[4095] == i && memory[4096 + 199] == i && memory[4096 + 200] == 0);
    }
}

int main(void)
{
    char from[64] = "the quick brown fox jumps over the lazy dog", to[64] = {0};
    void *s = from, *d = to;
    long n = 5;
    __asm__ volatile("rep movsq" : "+S"(s), "+D"(d), "+c"(n) : : "memory");
    CHECK(!memcmp(from, to, 40) && to[40] == 0 && n == 0 && s == from + 40);
    n = 0;
    __asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(n) : : "memory");
    CHECK(s == from + 40 && d == to + 40);
    s = from, d = from + 4, n = 10;     /* each byte copied sees the ones before */
    memcpy(from, "abcdefghijklmnopqrst", 20);
    __asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(n) : : "memory");
    CHECK(!memcmp(from, "abcdabcdabcdabopqrst", 20));

    d = from, n = 64;
    __asm__ volatile("repne scasb" : "+D"(d), "+c"(n) : "a"('o') : "cc");
    CHECK(d == from + 15 && n == 49);
    s = "equal until here", d = "equal until THERE", n = 16;
    unsigned char differ;
    __asm__ volatile("repe cmpsb\n setne %0" : "=q"(differ), "+S"(s), "+D"(d), "+c"(n) : : "cc");
    CHECK(differ && n == 3);
    unsigned char carry, zero;          /* a count of zero leaves the flags */
    n = 0;
    __asm__ volatile("stc\n repe cmpsb\n setc %0\n setz %1"
                     : "=q"(carry), "=q"(zero), "+S"(s), "+D"(d), "+c"(n) : : "cc");
    CHECK(carry);
    unsigned long value;
    s = from;
    __asm__ volatile("lodsw\n movzwl %%ax, %%eax" : "=a"(value), "+S"(s));
    CHECK(value == ('b' << 8 | 'a') && s == from + 2);
    d = to + 60, n = 3;
    __asm__ volatile("std\n rep stosl\n cld" : "+D"(d), "+c"(n) : "a"(0x44444444) : "memory", "cc");
    CHECK(to[52] == 0x44 && to[51] == 0 && d == to + 48);
    half_way();
    return done();
}
