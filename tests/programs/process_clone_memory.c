/* Processes that share their maker's memory and are no threads of it (CLONE_VM alone): they run
 * beside it, have ids of their own, are waited for, write into each other's memory, and die
 * alone. */
#include "check.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { STACK = 65536 };

static volatile int value, turn;
static int ends[2], back[2];
static pid_t maker;

static pid_t make(int (*body)(void *), unsigned long flags, void *argument)
{
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    pid_t child = clone(body, stack + STACK, CLONE_VM | flags, argument);
    CHECK(child > 0);
    return child;
}

static int answers(void *argument)
{
    char byte;
    CHECK(syscall(SYS_getpid) != maker && syscall(SYS_getppid) == maker);
    CHECK(read(ends[0], &byte, 1) == 1 && value == 7); /* its maker runs meanwhile */
    value = 8;
    CHECK(write(back[1], &byte, 1) == 1);
    return (int)(long)argument;
}

static void beside(unsigned long flags)
{
    char byte = 'x';
    CHECK(pipe(ends) == 0 && pipe(back) == 0);
    value = 0;
    pid_t child = make(answers, flags | SIGCHLD, (void *)5);
    value = 7;
    CHECK(write(ends[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1 && value == 8);
    CHECK(check_wait(child) == 5);
    for (int i = 0; i < 2; i++)
        close(ends[i]), close(back[i]);
}

/* Both spin, and take turns. */
static int spins(void *argument)
{
    for (int i = 0; i < 50; i++) {
        while (turn != 1)
            sched_yield();
        value++;
        turn = 0;
    }
    return *(int *)argument;
}

static void taking_turns(void)
{
    int status = 9;
    value = turn = 0;
    pid_t child = make(spins, SIGCHLD | CLONE_FILES | CLONE_FS | CLONE_SIGHAND, &status);
    for (int i = 0; i < 50; i++) {
        turn = 1;
        while (turn)
            sched_yield();
        CHECK(value == i + 1);
    }
    CHECK(check_wait(child) == 9);
}

static int dies(void *argument)
{
    if (argument)
        *(volatile int *)argument = 1;
    pause();
    return 0;
}

static void ending(void)
{
    pid_t child = make(dies, SIGCHLD, (void *)8);
    CHECK(check_wait(child) == 256 + SIGSEGV);
    child = make(dies, SIGCHLD, NULL);
    CHECK(kill(child, SIGTERM) == 0 && check_wait(child) == 256 + SIGTERM);
    child = make(dies, SIGCHLD, NULL);
    CHECK(kill(child, SIGKILL) == 0 && check_wait(child) == 256 + SIGKILL);
}

/* Into memory that is its own, by the other's number. */
static int waits(void *unused)
{
    char byte;
    (void)unused;
    return read(ends[0], &byte, 1) == 0 && value == 77 ? 3 : 4;
}

static void by_number(void)
{
    int wanted = 77;
    struct iovec from = {&wanted, sizeof wanted}, to = {(void *)&value, sizeof value};
    CHECK(pipe(ends) == 0);
    pid_t child = make(waits, SIGCHLD | CLONE_FILES, NULL);
    long n = process_vm_writev(child, &from, 1, &to, 1, 0);
    if (n == -1 && errno == EPERM)
        value = wanted;
    else
        CHECK(n == sizeof wanted && value == 77);
    close(ends[1]);
    CHECK(check_wait(child) == 3);
    close(ends[0]);
}

int main(void)
{
    maker = getpid();
    beside(0);
    beside(CLONE_FS | CLONE_FILES | CLONE_SIGHAND);
    taking_turns();
    ending();
    by_number();
    return done();
}
