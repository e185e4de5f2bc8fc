/* A thread that waits (in read, in sleep, in poll, for a child) does not hold up the others.
 */
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <time.h>

static int fds[4][2];
static volatile int woken;

static void *in_read(void *unused)
{
    char byte;
    CHECK(read(fds[0][0], &byte, 1) == 1);
    __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
    return unused;
}

static void *in_poll(void *unused)
{
    struct pollfd p = {fds[1][0], POLLIN, 0};
    CHECK(poll(&p, 1, -1) == 1);
    __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
    return unused;
}

static void *for_child(void *unused)
{
    pid_t child = fork();
    if (child == 0) {
        char byte;
        _exit(read(fds[2][0], &byte, 1));
    }
    CHECK(check_wait(child) == 1);
    __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
    return unused;
}

static void *in_write(void *unused)
{
    static char block[200000];
    CHECK(write(fds[3][1], block, sizeof block) == sizeof block);
    __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    void *(*const bodies[])(void *) = {in_read, in_poll, for_child, in_write};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pipe(fds[i]) == 0 && pthread_create(&threads[i], NULL, bodies[i], NULL) == 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    unsigned hash = 1;
    for (int i = 0; i < 1000000; i++)
        hash = hash * 31 + i;
    CHECK(woken == 0);
    for (int i = 0; i < 3; i++)
        CHECK(write(fds[i][1], "x", 1) == 1 && pthread_join(threads[i], NULL) == 0);
    static char block[200000];
    for (int sum = 0, n; sum < 200000; sum += n)
        CHECK((n = read(fds[3][0], block, sizeof block)) > 0);
    CHECK(pthread_join(threads[3], NULL) == 0 && woken == 4);
    printf("%08x\n", hash);
    return done();
}
