/* mprotect: faults where it says, with the right address and code, and heals where it says.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <sys/mman.h>

enum { PAGE = 4096 };

static char *memory;
static volatile int faults, last_code;
static volatile uintptr_t last_address;

static void mend(int sig, siginfo_t *info, void *context)
{
    (void)context;
    CHECK(sig == SIGSEGV);
    faults++;
    last_code = info->si_code;
    last_address = (uintptr_t)info->si_addr;
    char *page = (char *)(last_address & -(uintptr_t)PAGE);
    CHECK(page >= memory && page < memory + 16 * PAGE);
    CHECK(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    memory = mmap(NULL, 16 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    volatile char *m = memory;
    CHECK(m[5] == 0 && faults == 0);
    for (int i = 0; i < 16; i++) {
        m[i * PAGE + 17 * i] = i;
        CHECK(faults == i + 1 && last_code == SEGV_ACCERR);
        CHECK(last_address == (uintptr_t)memory + i * PAGE + 17 * i);
        CHECK(m[i * PAGE + 17 * i] == i);
    }
    CHECK(mprotect(memory + PAGE, 2 * PAGE, PROT_NONE) == 0);
    CHECK(m[2 * PAGE + 34] == 2 && faults == 17);
    m[PAGE + 1]++;
    CHECK(faults == 18);
    CHECK(mprotect(memory, 16 * PAGE, PROT_READ) == 0);
    memset(memory, 9, 16 * PAGE);                    /* faults inside rep stos or vector code */
    CHECK(faults == 34 && m[16 * PAGE - 1] == 9);
    CHECK(mprotect(memory + 1, PAGE, PROT_READ) < 0 && errno == EINVAL);
    CHECK(munmap(memory + 8 * PAGE, PAGE) == 0);
    CHECK(mprotect(memory, 16 * PAGE, PROT_READ | PROT_WRITE) < 0 && errno == ENOMEM);
    CHECK(mprotect((void *)(1L << 46), PAGE, PROT_READ) < 0 && errno == ENOMEM);
    return done();
}
