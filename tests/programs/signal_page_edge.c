/* Code that runs off the end of its page into nothing: all before the edge is executed, then
 * the fault is at the edge, or at an instruction that straddles it.
 *
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>
#include <ucontext.h>

static volatile uintptr_t rip, address;
static volatile long rax;
static uintptr_t way_out;

static void on_fault(int sig, siginfo_t *info, void *p)
{
    greg_t *r = ((ucontext_t *)p)->uc_mcontext.gregs;
    CHECK(sig == SIGSEGV);
    rip = r[REG_RIP];
    rax = r[REG_RAX];
    address = (uintptr_t)info->si_addr;
    r[REG_RIP] = way_out;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0);
    CHECK(page != MAP_FAILED && munmap(page + 4096, 4096) == 0);
    page[0] = (char)0xc3;
    way_out = (uintptr_t)page;
    for (int cut = 0; cut < 5; cut++) {
        /* inc %eax twice, then a five-byte mov of which only `cut` bytes are there */
        static const char code[] = "\x31\xc0\xff\xc0\xff\xc0\xb8\x09\x09\x09\x09";
        char *start = page + 4096 - 6 - cut;
        memcpy(start, code, 6 + cut);
        ((void (*)(void))start)();
        CHECK(rax == 2 && rip == (uintptr_t)page + 4096 - cut);
        CHECK(address == (uintptr_t)page + 4096);
    }
    return done();
}
