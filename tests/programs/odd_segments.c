/* Segments of a program's own: modify_ldt changes a table of the processor, on which instructions
 * depend afterwards, in the program and in a child of it.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <asm/ldt.h>
#include <sys/syscall.h>

enum { READ = 0, WRITE = 0x11, ENTRIES = 40 };

static unsigned selector(unsigned entry)
{
    return entry << 3 | 7; /* of the local table, for ring 3 */
}

static void set_limit(unsigned entry, unsigned limit)
{
    struct user_desc d = {.entry_number = entry, .base_addr = 0x1000 * entry, .limit = limit,
                          .seg_32bit = 1, .useable = 1};
    CHECK((int)syscall(SYS_modify_ldt, WRITE, &d, sizeof d) == 0);
}

static void clear(unsigned entry)
{
    struct user_desc d = {.entry_number = entry, .read_exec_only = 1, .seg_not_present = 1};
    CHECK((int)syscall(SYS_modify_ldt, WRITE, &d, sizeof d) == 0);
}

/* The limit of a segment as the processor knows it; -1 if there is none. */
static long limit_of(unsigned entry)
{
    unsigned long limit = 0;
    unsigned char found;
    __asm__ volatile("lsl %2, %0\n setz %1"
                     : "+r"(limit), "=q"(found) : "r"((unsigned long)selector(entry)) : "cc");
    return found ? (long)limit : -1;
}

/* Faults if there is no such segment. */
static void load(unsigned entry)
{
    unsigned short before;
    __asm__ volatile("mov %%es, %0\n mov %1, %%es\n mov %0, %%es"
                     : "=&r"(before) : "r"(selector(entry)));
}

static volatile sig_atomic_t faults;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RDX] = (long)selector(2);
    faults++;
}

int main(void)
{
    unsigned long table[ENTRIES];
    CHECK(limit_of(2) == -1);
    set_limit(2, 0x1234);
    CHECK(limit_of(2) == 0x1234);
    for (int i = 0; i < 1000; i++)
        load(2);
    for (unsigned entry = 3; entry < ENTRIES; entry++)
        set_limit(entry, entry * 3);
    for (unsigned entry = 3; entry < ENTRIES; entry++)
        CHECK(limit_of(entry) == (long)entry * 3);

    memset(table, 0xff, sizeof table);
    CHECK(syscall(SYS_modify_ldt, READ, table, sizeof table) == (long)sizeof table);
    CHECK(table[0] == 0 && (table[2] & 0xffff) == 0x1234 && (table[39] & 0xffff) == 117);
    CHECK((table[2] >> 16 & 0xffffff) == 0x2000);

    struct user_desc bad = {.entry_number = 100000};
    CHECK((int)syscall(SYS_modify_ldt, WRITE, &bad, sizeof bad) == -EINVAL);
    CHECK((int)syscall(SYS_modify_ldt, 99, NULL, 0) == -ENOSYS);

    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    clear(5);
    CHECK(limit_of(5) == -1);
    __asm__ volatile("mov %%edx, %%es\n xor %%edx, %%edx\n mov %%edx, %%es" : : "d"(selector(5)));
    CHECK(faults == 1);

    pid_t child = fork();
    if (child == 0) {
        CHECK(limit_of(2) == 0x1234 && limit_of(6) == 18);
        set_limit(6, 99);
        _exit(limit_of(6) == 99 ? 7 : 1);
    }
    CHECK(check_wait(child) == 7);
    CHECK(limit_of(6) == 18);
    printf("%ld %lx\n", limit_of(39), table[39]);
    return done();
}
