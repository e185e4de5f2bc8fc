/* A handler starts with the direction flag clear, and the interrupted one comes back set.
 *
 * settings: yes
 */
#include "check.h"

static volatile int handled;

static unsigned long flags(void)
{
    unsigned long f;
    __asm__ volatile("pushf\n pop %0" : "=r"(f));
    return f;
}

static void on_illegal(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    CHECK(!(flags() & 0x400));
    ((unsigned long *)((char *)context + 40))[16] += 2;     /* rip, past ud2 */
    handled++;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGILL, &action, NULL) == 0);
    for (int i = 1; i < 50; i++) {
        unsigned long after;
        __asm__ volatile("std\n ud2\n pushf\n cld\n pop %0" : "=r"(after) : : "memory", "cc");
        CHECK(handled == i && (after & 0x400));
    }
    char from[] = "abcdef", to[7] = {0};
    void *d = to + 5, *s = from + 5;
    long n = 6;
    __asm__ volatile("std\n rep movsb\n cld" : "+D"(d), "+S"(s), "+c"(n) : : "memory", "cc");
    CHECK(!strcmp(to, "abcdef") && n == 0);
    return done();
}
