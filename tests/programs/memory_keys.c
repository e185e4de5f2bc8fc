/* Protection keys: pkey_alloc gives one out and sets its rights in the processor, pkey_mprotect
 * puts memory under it, and what lies there faults or not as the rights of the key say.  Skipped
 * where the processor has no keys.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <setjmp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static sigjmp_buf back;
static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    CHECK(info->si_code == SEGV_PKUERR);
    faults++;
    siglongjmp(back, 1);
}

static unsigned rights(void)
{
    unsigned value, high;
    __asm__ volatile("rdpkru" : "=a"(value), "=d"(high) : "c"(0));
    return value;
}

static void set_rights(unsigned value)
{
    __asm__ volatile("wrpkru" : : "a"(value), "c"(0), "d"(0) : "memory");
}

static bool faulting_read(volatile int *at)
{
    int before = faults;
    if (sigsetjmp(back, 1) == 0)
        (void)*at;
    return faults != before;
}

int main(void)
{
    long first = syscall(SYS_pkey_alloc, 0, 0);
    if (first < 0) {
        puts("no keys");
        return 1;
    }
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    long second = syscall(SYS_pkey_alloc, 0, PKEY_DISABLE_ACCESS);
    CHECK(second > 0 && second != first);
    CHECK((rights() >> 2 * first & 3) == 0);
    CHECK((rights() >> 2 * second & 3) == PKEY_DISABLE_ACCESS);

    int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    *page = 42;
    CHECK(syscall(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_WRITE, first) == 0);
    CHECK(!faulting_read(page) && *page == 42);
    CHECK(syscall(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_WRITE, second) == 0);
    CHECK(faulting_read(page));
    set_rights(rights() & ~(3u << 2 * second));
    CHECK(!faulting_read(page) && *page == 42);

    CHECK(syscall(SYS_pkey_free, first) == 0);
    CHECK(syscall(SYS_pkey_free, first) < 0 && errno == EINVAL);
    CHECK(syscall(SYS_pkey_mprotect, page, 4096, PROT_READ, first) < 0 && errno == EINVAL);
    CHECK(syscall(SYS_pkey_alloc, 0, 0) == first);
    int given = 0;
    while (syscall(SYS_pkey_alloc, 0, 0) > 0)
        given++;
    CHECK(errno == ENOSPC);
    printf("%ld %ld %d\n", first, second, given);
    return done();
}
