/* A handler sees and changes the interrupted registers: general, flags, rip, xmm.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <ucontext.h>

struct values {
    uint64_t r[16];                     /* in the order below */
    uint64_t flags;
    unsigned char xmm[16];
};

static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_R8, REG_R9,
                            REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
static volatile int handled;
static void *after;

/* ud2 stands for any place: every register has a known value there. */
static void on_illegal(int sig, siginfo_t *info, void *p)
{
    ucontext_t *context = p;
    greg_t *r = context->uc_mcontext.gregs;
    CHECK(sig == SIGILL && (greg_t)info->si_addr == r[REG_RIP]);
    CHECK(info->si_code == ILL_ILLOPN || info->si_code == ILL_ILLOPC);
    CHECK(r[REG_RIP] + 2 == (greg_t)after);
    for (int i = 0; i < 14; i++) {
        CHECK(r[order[i]] == 0x1111 * (i + 1));
        r[order[i]] = 0x0101010101010101 * (i + 1);
    }
    CHECK((r[REG_EFL] & 0x8d5) == 0x8d5 - 0x90);     /* all but SF and AF */
    r[REG_EFL] = (r[REG_EFL] & ~0x8d5L) | 0x91;      /* CF, AF, SF alone */
    struct _libc_fpstate *f = context->uc_mcontext.fpregs;
    CHECK(f && f->_xmm[5].element[0] == 0xdead && f->_xmm[5].element[3] == 0xbeef);
    f->_xmm[5].element[0] = 77;
    f->_xmm[15].element[2] = 88;
    r[REG_RIP] += 2;
    handled++;
}

uint64_t results[16];
uint32_t in5[4] = {0xdead, 1, 2, 0xbeef}, out5[4], out15[4];
void provoke(void);
extern char provoke_after[];

__asm__(".text\n provoke:\n"
        "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "movdqu in5(%rip), %xmm5\n pxor %xmm15, %xmm15\n"
        "mov $0x1111, %eax\n mov $0x2222, %ebx\n mov $0x3333, %ecx\n mov $0x4444, %edx\n"
        "mov $0x5555, %esi\n mov $0x6666, %edi\n mov $0x7777, %r8d\n mov $0x8888, %r9d\n"
        "mov $0x9999, %r10d\n mov $0xaaaa, %r11d\n mov $0xbbbb, %r12d\n mov $0xcccc, %r13d\n"
        "mov $0xdddd, %r14d\n mov $0xeeee, %r15d\n"
        "push $0x845\n popf\n"                       /* OF ZF PF CF */
        "ud2\n provoke_after:\n"
        "mov %rax, results(%rip)\n lea results(%rip), %rax\n"
        "mov %rbx, 8(%rax)\n mov %rcx, 16(%rax)\n mov %rdx, 24(%rax)\n mov %rsi, 32(%rax)\n"
        "mov %rdi, 40(%rax)\n mov %r8, 48(%rax)\n mov %r9, 56(%rax)\n mov %r10, 64(%rax)\n"
        "mov %r11, 72(%rax)\n mov %r12, 80(%rax)\n mov %r13, 88(%rax)\n mov %r14, 96(%rax)\n"
        "mov %r15, 104(%rax)\n pushf\n pop 112(%rax)\n"
        "movdqu %xmm5, out5(%rip)\n movdqu %xmm15, out15(%rip)\n"
        "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n");

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGILL, &action, NULL) == 0);
    after = provoke_after;
    for (int round = 1; round <= 100; round++) {
        provoke();
        CHECK(handled == round);
        for (int i = 0; i < 14; i++)
            CHECK(results[i] == 0x0101010101010101 * (uint64_t)(i + 1));
        CHECK((results[14] & 0x8d5) == 0x91);
        CHECK(out5[0] == 77 && out5[3] == 0xbeef && out15[2] == 88 && out15[0] == 0);
    }
    return done();
}
