/* Asynchronous input and output by several threads: one waits for events in io_getevents while
 * another submits; it is woken by each, and by the end of its time. */
#include "check.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

enum { ROUNDS = 30 };

static aio_context_t context;
static volatile int taken;

static void *take(void *unused)
{
    (void)unused;
    for (int n = 0; n < ROUNDS; n++) {
        struct io_event event = {0};
        CHECK(syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1);
        CHECK(event.res == 4 && event.data == (unsigned)n);
        taken = n + 1;
    }
    return NULL;
}

/* The first waits long enough that the other thread surely waits. */
static void submit(int fd, int n)
{
    struct iocb block = {.aio_data = (unsigned)n, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = (unsigned)fd,
                         .aio_buf = (uintptr_t) "abcd", .aio_nbytes = 4, .aio_offset = 4 * n};
    struct iocb *blocks[] = {&block};
    if (n % 10 == 0)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    CHECK(syscall(SYS_io_submit, context, 1, blocks) == 1);
    while (n % 3 == 0 && taken <= n)
        sched_yield();
}

int main(void)
{
    pthread_t thread;
    struct io_event event;
    struct timespec short_time = {.tv_nsec = 30000000};
    char name[] = "/tmp/aio-threads.XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0 && unlink(name) == 0);
    if (syscall(SYS_io_setup, 64, &context) != 0)
        return errno == ENOSYS ? done() : 1;
    CHECK(pthread_create(&thread, NULL, take, NULL) == 0);
    for (int n = 0; n < ROUNDS; n++)
        submit(fd, n);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(taken == ROUNDS);
    CHECK(syscall(SYS_io_getevents, context, 1, 1, &event, &short_time) == 0);
    CHECK(syscall(SYS_io_destroy, context) == 0);
    return done();
}
