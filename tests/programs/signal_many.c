/* Many kinds at once: nested handlers, and how often each is delivered when blocked ones come
 * free (in which order is the kernel's affair).
 */
#include "check.h"

static char order[64];
static int at;

static void on_signal(int sig)
{
    order[at++] = sig >= SIGRTMIN ? 'A' + sig - SIGRTMIN : 'a' + sig;
    if (sig == SIGUSR1)
        raise(SIGUSR2);
    if (sig == SIGUSR2)
        raise(SIGWINCH);
}

static int by_letter(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

int main(void)
{
    sigset_t all, old;
    sigfillset(&all);
    for (int sig = 1; sig <= SIGRTMIN + 3; sig++)
        signal(sig, on_signal);
    raise(SIGUSR1);
    CHECK(!strcmp(order, (char[]){'a' + SIGUSR1, 'a' + SIGUSR2, 'a' + SIGWINCH, 0}));
    at = 0;
    memset(order, 0, sizeof order);
    CHECK(sigprocmask(SIG_SETMASK, &all, &old) == 0);
    for (int i = 0; i < 3; i++) {
        raise(SIGRTMIN + 1);
        raise(SIGRTMIN);
        raise(SIGWINCH);
        raise(SIGHUP);
    }
    CHECK(at == 0);
    CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
    qsort(order, at, 1, by_letter);
    printf("%d %s\n", at, order);
    return done();
}
