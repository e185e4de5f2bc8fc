/* sigaltstack: handlers run there when asked to, the old stack otherwise; a stack overflow can
 * be handled there.
 *
 * variants: static muslstatic
 * settings: yes
 */
#include "check.h"
#include <setjmp.h>
#include <sys/resource.h>

static char stack[65536];
static sigjmp_buf back;
static volatile int on_it, info_flags;

static int within(const void *p)
{
    return (const char *)p >= stack && (const char *)p < stack + sizeof stack;
}

static void on_signal(int sig)
{
    stack_t now;
    (void)sig;
    on_it = within(&now);
    CHECK(sigaltstack(NULL, &now) == 0);
    info_flags = now.ss_flags;
    if (on_it) {
        stack_t none = {.ss_flags = SS_DISABLE};
        CHECK(sigaltstack(&none, NULL) < 0 && errno == EPERM);
    }
}

static void on_overflow(int sig, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    int local;
    CHECK(within(&local));
    siglongjmp(back, sig);
}

static int recurse(int n)
{
    volatile char room[1000];
    room[n % 1000] = n;
    return n < 0 ? 0 : recurse(n + 1) + room[n % 1000];
}

int main(void)
{
    stack_t new = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    CHECK(sigaltstack(NULL, &old) == 0 && old.ss_flags == SS_DISABLE);
    CHECK(sigaltstack(&new, NULL) == 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    action.sa_flags = 0;
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    for (int i = 0; i < 50; i++) {
        raise(SIGUSR1);
        CHECK(on_it && info_flags == SS_ONSTACK);
        raise(SIGUSR2);
        CHECK(!on_it && info_flags == 0);
    }
    stack_t tiny = {.ss_sp = stack, .ss_size = 100};
    CHECK(sigaltstack(&tiny, NULL) < 0 && errno == ENOMEM);
    CHECK(sigaltstack(NULL, &old) == 0 && old.ss_sp == stack && old.ss_size == sizeof stack);

    setrlimit(RLIMIT_STACK, &(struct rlimit){4 << 20, 4 << 20});
    action = (struct sigaction){.sa_sigaction = on_overflow, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    for (volatile int i = 0; i < 5; i++) {
        int got = sigsetjmp(back, 1);
        if (got == 0)
            recurse(0);
        CHECK(got == SIGSEGV);
    }
    new.ss_flags = SS_DISABLE;
    CHECK(sigaltstack(&new, NULL) == 0);
    return done();
}
