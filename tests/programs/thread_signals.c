/* Signals and threads: directed ones go where they are sent, masks are per thread, waiting
 * calls of the right thread are interrupted, process signals go to one that takes them.
 *
 * variants: static
 */
#include "check.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

static volatile pid_t handler_tid;
static volatile sig_atomic_t handled;
static volatile int ready, stop;

static void on_signal(int sig)
{
    (void)sig;
    handler_tid = syscall(SYS_gettid);
    handled++;
}

static void *spins(void *tid)
{
    *(volatile pid_t *)tid = syscall(SYS_gettid);
    ready = 1;
    while (!stop)
        ;
    return NULL;
}

static void *sleeps(void *tid)
{
    *(volatile pid_t *)tid = syscall(SYS_gettid);
    ready = 1;
    while (!stop)
        nanosleep(&(struct timespec){1000, 0}, NULL);
    return NULL;
}

static void with_thread(void *(*body)(void *))
{
    pthread_t thread;
    pid_t tid = 0;
    ready = stop = 0;
    CHECK(pthread_create(&thread, NULL, body, &tid) == 0);
    while (!ready)
        sched_yield();
    for (int i = 0; i < 50; i++) {
        int before = handled;
        CHECK(pthread_kill(thread, SIGUSR1) == 0);
        while (handled == before)
            sched_yield();
        CHECK(handler_tid == tid);
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    int before = handled;
    CHECK(kill(getpid(), SIGUSR2) == 0);             /* only the other one takes it */
    while (handled == before)
        sched_yield();
    CHECK(handler_tid == tid);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    stop = 1;
    /* The last signal may come before its last sleep, so send until it is gone. */
    while (pthread_tryjoin_np(thread, NULL) != 0) {
        pthread_kill(thread, SIGUSR1);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0);
    with_thread(spins);
    with_thread(sleeps);
    int before = handled;
    CHECK(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1) == 0);
    CHECK(handled == before + 1 && handler_tid == getpid());
    CHECK(syscall(SYS_tgkill, getpid(), 0x7ffffff0, 0) < 0 && errno == ESRCH);
    return done();
}
