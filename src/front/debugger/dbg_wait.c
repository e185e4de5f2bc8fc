/* Waiting for the user: a key, a Ctrl-C, or a new size of the terminal.
 *
 * While nothing comes, the session uses the time to prepare for steps back.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "front/debugger/dbg_internal.h"
#include "front/debugger/keys.h"

static volatile sig_atomic_t typed_interrupt, changed;

static void on_interrupt(int number)
{
    (void)number;
    typed_interrupt = 1;
    debug_interrupt();
}

static void on_change(int number)
{
    (void)number;
    changed = 1;
}

void dbg_wait_begin(void)
{
    struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    struct sigaction change = {.sa_handler = on_change, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGWINCH, &change, NULL);
    sigaction(SIGCONT, &change, NULL);
}

void dbg_wait_end(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGWINCH, SIG_DFL);
    signal(SIGCONT, SIG_DFL);
}

void dbg_wait_calm(void)
{
    typed_interrupt = 0;
}

/* A signal may arrive between the test of its flag and the wait, so signals are unblocked only in
 * the wait. */
static int wait_unblocked(struct dbg *d, const sigset_t *mask)
{
    struct timespec none = {0};
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    bool busy = true;
    int ready = 0;
    while (ready == 0 && !typed_interrupt && !changed) {
        ready = ppoll(&in, 1, busy ? &none : NULL, mask);
        if (ready < 0 && errno == EINTR)
            ready = 0;
        else if (ready == 0 && busy)
            busy = session_idle(d->debug->session);
    }
    return ready;
}

enum dbg_wake dbg_wait(struct dbg *d)
{
    static const int which[] = {SIGINT, SIGWINCH, SIGCONT, SIGTSTP};
    sigset_t block, before;
    sigemptyset(&block);
    for (size_t i = 0; i < countof(which); i++)
        sigaddset(&block, which[i]);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    int ready = wait_unblocked(d, &before);
    bool interrupts = typed_interrupt, changes = changed;
    if (interrupts)
        typed_interrupt = 0;
    else
        changed = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return interrupts ? WAKE_INTERRUPT : changes ? WAKE_CHANGED : ready < 0 ? WAKE_GONE : WAKE_KEY;
}

/* Polls once more than needed, so that Ctrl-C works even if the rate cannot be kept. */
static enum dbg_pause pause_unblocked(struct dbg *d, double until, const sigset_t *mask)
{
    struct pollfd in = {.fd = d->tui ? STDIN_FILENO : -1, .events = POLLIN};
    for (;;) {
        double left = until - debug_seconds_now();
        left = left > 0 ? left : 0;
        struct timespec timeout = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        int ready = typed_interrupt ? 0 : ppoll(&in, 1, &timeout, mask);
        if (typed_interrupt)
            return PAUSE_INTERRUPTED;
        if (ready > 0)
            return PAUSE_KEY;
        if (ready == 0 && left <= 0)
            return PAUSE_OVER;
    }
}

enum dbg_pause dbg_pause(struct dbg *d, double until)
{
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    enum dbg_pause ret = pause_unblocked(d, until, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ret == PAUSE_KEY)
        key_read(STDIN_FILENO);
    return ret;
}
