/* Jumps and calls to where no code may be: the fault is at the target, after the push.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>
#include <ucontext.h>

static uintptr_t target;
static volatile int code;

/* Goes back to the caller, as the function that is not there would have. */
static void on_fault(int sig, siginfo_t *info, void *p)
{
    greg_t *r = ((ucontext_t *)p)->uc_mcontext.gregs;
    CHECK(sig == SIGSEGV);
    CHECK(r[REG_RIP] == (greg_t)target);
    CHECK(info->si_code == SI_KERNEL || info->si_addr == (void *)target);
    code = info->si_code;
    uintptr_t *stack = (uintptr_t *)r[REG_RSP];
    r[REG_RIP] = stack[0];
    r[REG_RSP] += 8;
    r[REG_RAX] = 55;
}

static int call(uintptr_t where)
{
    target = where;
    return ((int (*)(void))where)();
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    char *data = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(data != MAP_FAILED);
    memset(data, 0xc3, 8192);
    for (int i = 0; i < 20; i++) {
        CHECK(call(0) == 55 && code == SEGV_MAPERR);
        CHECK(call(0x123) == 55 && code == SEGV_MAPERR);
        CHECK(call((uintptr_t)data + 100) == 55 && code == SEGV_ACCERR);
        CHECK(call((uintptr_t)&target) == 55 && code == SEGV_ACCERR);
    }
    CHECK(mprotect(data, 4096, PROT_READ | PROT_EXEC) == 0);
    call((uintptr_t)data + 100);                     /* now it just returns */
    return done();
}
