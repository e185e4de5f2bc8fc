/* Faults that a handler mends: by mapping the page, by changing a register, by skipping the
 * instruction, by going elsewhere.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>
#include <ucontext.h>

static enum { MAP, REGISTER, SKIP, ELSEWHERE } way;
static char *hole;
static long spare = 4242;
static volatile int count;
extern char elsewhere[], load[], store[];
long load_from(long *p), store_to(long *p, long v);

/* r9 holds what the handler must see unchanged. */
__asm__(".text\n"
        "load_from: mov $99, %r9d\n load: mov (%rdi), %rax\n cmp $99, %r9d\n jne 1f\n ret\n"
        "store_to: mov $99, %r9d\n store: movq %rsi, 0(%rdi)\n mov $1, %eax\n ret\n"
        "1: ud2\n"
        "elsewhere: mov $31337, %eax\n ret\n");

static void on_fault(int sig, siginfo_t *info, void *p)
{
    greg_t *r = ((ucontext_t *)p)->uc_mcontext.gregs;
    CHECK(sig == SIGSEGV && info->si_addr == hole + 16 && info->si_code == SEGV_MAPERR);
    CHECK(r[REG_RIP] == (greg_t)load || r[REG_RIP] == (greg_t)store);
    CHECK(r[REG_R9] == 99 && r[REG_RDI] == (greg_t)hole + 16);
    CHECK(r[REG_TRAPNO] == 14 && r[REG_CR2] == (greg_t)hole + 16);
    CHECK((r[REG_ERR] & 7) == (r[REG_RIP] == (greg_t)store ? 6 : 4));
    count++;
    switch (way) {
    case MAP:
        CHECK(mmap(hole, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                   0) == hole);
        break;
    case REGISTER: r[REG_RDI] = (greg_t)&spare; break;
    case SKIP: r[REG_RIP] += r[REG_RIP] == (greg_t)load ? 3 : 3; r[REG_RAX] = 5; break;
    case ELSEWHERE: r[REG_RIP] = (greg_t)elsewhere; break;
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(hole != MAP_FAILED && munmap(hole, 4096) == 0);
    long *p = (long *)(hole + 16);
    for (int i = 0; i < 50; i++) {
        way = REGISTER;
        CHECK(load_from(p) == 4242);
        CHECK(store_to(p, 4242) == 1 && spare == 4242);
        way = SKIP;
        CHECK(load_from(p) == 5 && store_to(p, 1) == 1);
        way = ELSEWHERE;
        CHECK(load_from(p) == 31337 && store_to(p, 1) == 31337);
        way = MAP;
        CHECK(load_from(p) == 0 && munmap(hole, 4096) == 0);
        CHECK(store_to(p, 8) == 1 && load_from(p) == 8 && munmap(hole, 4096) == 0);
    }
    CHECK(count == 50 * 8);
    return done();
}
