/* Makes each fact that a log can tell happen at least once: see tests/suites/71-facts.
 *
 * Threads that wait, a signal that interrupts a call, one that is ignored, a fault with a handler,
 * a call that ebb refuses, one whose memory is compared, a free-standing DATA, a child of vfork,
 * shared memory and a file that is mapped; in the end a fault without a handler.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int alarms;

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static void on_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static void *waits(void *pipe_end)
{
    char byte;
    return (void *)(long)read(*(int *)pipe_end, &byte, 1);
}

static void threads(void)
{
    int ends[2];
    pthread_t other;
    if (pipe(ends) || pthread_create(&other, NULL, waits, ends))
        exit(77);
    usleep(20000);
    if (write(ends[1], "x", 1) != 1)
        exit(77);
    pthread_join(other, NULL);
}

/* The word of a lock with priority inheritance is changed by the engine while its thread waits. */
static void *locks(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void lock_that_inherits(void)
{
    pthread_mutexattr_t how;
    pthread_mutex_t lock;
    pthread_t other;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&lock, &how);
    pthread_mutex_lock(&lock);
    if (pthread_create(&other, NULL, locks, &lock))
        exit(77);
    usleep(20000);
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
}

static void signals(void)
{
    struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    signal(SIGFPE, SIG_IGN);
    raise(SIGFPE);
    signal(SIGALRM, on_alarm);
    siginterrupt(SIGALRM, 1);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (!alarms)
        pause();
    signal(SIGSEGV, on_fault);
    if (!sigsetjmp(back, 1))
        *(volatile int *)8 = 1;
}

static void processes(void)
{
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = vfork();
    if (child == 0)
        _exit(3);
    waitpid(child, NULL, 0);
    child = fork();
    if (child == 0) {
        *shared = 1;
        _exit(0);
    }
    waitpid(child, NULL, 0);
    if (*shared != 1)
        exit(1);
}

int main(void)
{
    char text[64] = "unknown";
    syscall(SYS_io_setup, 1, NULL);
    syscall(999, text, text, text); /* in no row of any table */
    threads();
    lock_that_inherits();
    signals();
    processes();
    printf("%ld\n", (long)(time(NULL) > 0));
    fflush(stdout);
    signal(SIGSEGV, SIG_DFL);
    *(volatile int *)16 = 1;
}
