/* Stores that do more than store: flags that they read, write or keep, registers that they change,
 * high bytes of registers, and an alignment check, again and again on the same few words.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <ucontext.h>

enum { ROUNDS = 3000, CHECKED_ROUNDS = 20 };

static unsigned long word[4] __attribute__((aligned(32)));
static unsigned long sum;
static volatile int faults;
static unsigned long misaligned_length;

/* Not inlined: its callers push, and must not use what is below the stack. */
__attribute__((noinline)) static void note(unsigned long flags)
{
    sum = sum * 31 + (flags & 0x8d5) + word[0] + 3 * word[1];
}

/* Executes the instruction with the given flags, and reports the flags after it. */
#define WITH_FLAGS(before, insn, ...)                                                              \
    do {                                                                                           \
        unsigned long flags_ = (before);                                                           \
        __asm__ volatile("push %0\n\tpopf\n\t" insn "\n\tpushf\n\tpop %0"                          \
                         : "+&r"(flags_), "+m"(word[0]), "+m"(word[1])                             \
                         : __VA_ARGS__                                                             \
                         : "cc", "memory", "rax", "rcx", "rdx");                                   \
        note(flags_);                                                                              \
    } while (0)

static void keep_or_read_flags(unsigned long flags, unsigned long i)
{
    WITH_FLAGS(flags, "incl %1", "r"(i));
    WITH_FLAGS(flags, "decw %2", "r"(i));
    WITH_FLAGS(flags, "notb %1", "r"(i));
    WITH_FLAGS(flags, "mov %3, %%rcx\n\tand $7, %%ecx\n\tpush %0\n\tpopf\n\tshlq %%cl, %1", "r"(i));
    WITH_FLAGS(flags, "mov %3, %%rcx\n\tand $32, %%ecx\n\tpush %0\n\tpopf\n\trorl %%cl, %2", "r"(i));
    WITH_FLAGS(flags, "adcq %3, %1", "r"(i));
    WITH_FLAGS(flags, "sbbl $5, %2", "r"(i));
    WITH_FLAGS(flags, "rclb $1, %1", "r"(i));
    WITH_FLAGS(flags, "setc %2", "r"(i));
}

static void write_flags(unsigned long flags, unsigned long i)
{
    WITH_FLAGS(flags, "addq %3, %1", "r"(i));
    WITH_FLAGS(flags, "subb $3, %2", "r"(i));
    WITH_FLAGS(flags, "negq %1", "r"(i));
    WITH_FLAGS(flags, "btsl $7, %2", "r"(i));
    WITH_FLAGS(flags, "mov %3, %%rax\n\txaddq %%rax, %1\n\tmov %%rax, %2", "r"(i));
    WITH_FLAGS(flags, "mov %1, %%rax\n\tlock cmpxchgq %3, %1", "r"(i));
    WITH_FLAGS(flags, "mov $1, %%eax\n\tcmpxchgl %k3, %2\n\tmov %%eax, %1", "r"(i));
}

static void change_registers(unsigned long flags, unsigned long i)
{
    WITH_FLAGS(flags, "mov %3, %%rax\n\txchgl %%eax, %1\n\tmov %%rax, %2", "r"(i));
    WITH_FLAGS(flags, "mov %3, %%rax\n\tmovb %%ah, %1\n\tmovb %%al, %2", "r"(i));
    WITH_FLAGS(flags, "movw $-2, %1\n\tmovl $-3, %2\n\tmovq $-4, %1", "r"(i));
    WITH_FLAGS(flags, "mov %3, %%rax\n\tlea %1, %%rcx\n\tmov $1, %%edx\n\tmov %%rdx, -8(%%rcx,%%rdx,8)\n\tmov %%eax, (%%rcx,%%rdx,8)",
               "r"(i));
}

static void on_fault(int sig, siginfo_t *info, void *p)
{
    greg_t *r = ((ucontext_t *)p)->uc_mcontext.gregs;
    CHECK(sig == SIGBUS && info->si_code == BUS_ADRALN && ++faults <= CHECKED_ROUNDS);
    r[REG_RIP] += (greg_t)misaligned_length;
    r[REG_EFL] &= ~0x40000;
}

/* An aligned store, and one that is not, both with the check on. */
static void check_alignment(unsigned long i)
{
    __asm__ volatile("lea 2f(%%rip), %%rax\n\tlea 1f(%%rip), %%rcx\n\tsub %%rcx, %%rax\n\tmov %%rax, %0\n\t"
                     "pushf\n\torl $0x40000, (%%rsp)\n\tpopf\n\t"
                     "mov %3, %1\n"
                     "1:\tmov %3, 3(%2)\n"
                     "2:\tpushf\n\tandl $~0x40000, (%%rsp)\n\tpopf"
                     : "+m"(misaligned_length), "+m"(word[0])
                     : "r"(word), "r"(i)
                     : "cc", "memory", "rax", "rcx");
    note(0);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGBUS, &action, NULL) == 0);
    for (unsigned long i = 1; i <= ROUNDS; i++) {
        unsigned long flags = 0x202 | ((i * 0x9e3779b9 >> 7) & 0x8d5);
        keep_or_read_flags(flags, i);
        write_flags(flags, i);
        change_registers(flags, i);
        if (i <= CHECKED_ROUNDS)
            check_alignment(i);
    }
    CHECK(faults == CHECKED_ROUNDS);
    printf("%lx\n", sum);
    return done();
}
