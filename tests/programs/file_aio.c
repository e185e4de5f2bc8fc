/* Asynchronous input and output of the old kind, by its system calls: reads and writes of a file
 * and of vectors, errors in the call and in the event, an eventfd, waiting for readiness, several
 * contexts, a forked child. */
#include "check.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

enum { PAGE = 4096 };

static volatile int caught;

static void on_signal(int signal)
{
    caught = signal;
}

static long setup(unsigned count, aio_context_t *context)
{
    return syscall(SYS_io_setup, count, context);
}

static long submit(aio_context_t context, long count, struct iocb **blocks)
{
    return syscall(SYS_io_submit, context, count, blocks);
}

static long events_of(aio_context_t context, long least, long most, struct io_event *events, struct timespec *limit)
{
    return syscall(SYS_io_getevents, context, least, most, events, limit);
}

static struct iocb block(int operation, int fd, void *buffer, size_t size, long offset)
{
    return (struct iocb){.aio_data = 77, .aio_key = 3, .aio_lio_opcode = operation, .aio_fildes = fd,
                         .aio_buf = (uintptr_t)buffer, .aio_nbytes = size, .aio_offset = offset};
}

/* One operation alone, to its end. */
static long one(aio_context_t context, struct iocb b)
{
    struct iocb *blocks[] = {&b};
    struct io_event event = {0};
    if (submit(context, 1, blocks) != 1)
        return -1000 - errno;
    CHECK(b.aio_key == 0);
    CHECK(events_of(context, 1, 1, &event, NULL) == 1 && event.data == 77 && event.obj == (uintptr_t)&b);
    return event.res;
}

static void contexts(void)
{
    aio_context_t none = 0, used = 5, first = 0, second = 0;
    CHECK(setup(0, &none) == -1 && errno == EINVAL);
    CHECK(setup(1, &used) == -1 && errno == EINVAL);
    CHECK(setup(1, NULL) == -1 && errno == EFAULT);
    CHECK(setup(4, &first) == 0 && first && setup(4, &second) == 0 && second != first);
    CHECK(*(volatile char *)first == *(volatile char *)first); /* libraries look there */
    CHECK(syscall(SYS_io_destroy, second) == 0);
    CHECK(syscall(SYS_io_destroy, second) == -1 && errno == EINVAL);
    CHECK(submit(second, 0, NULL) == -1 && errno == EINVAL);
    CHECK(events_of(second, 0, 1, NULL, NULL) == -1 && errno == EINVAL);
    CHECK(submit(first, -1, NULL) == -1 && errno == EINVAL && submit(first, 0, NULL) == 0);
    CHECK(submit(first, 1, NULL) == -1 && errno == EFAULT);
    CHECK(syscall(SYS_io_destroy, first) == 0);
}

static void transfers(aio_context_t context, int fd)
{
    char text[32] = "", more[8] = "";
    CHECK(one(context, block(IOCB_CMD_PWRITE, fd, "0123456789", 10, 0)) == 10);
    CHECK(one(context, block(IOCB_CMD_PREAD, fd, text, 5, 3)) == 5 && strcmp(text, "34567") == 0);
    CHECK(one(context, block(IOCB_CMD_PREAD, fd, text, 32, 8)) == 2 && memcmp(text, "89567", 5) == 0);
    CHECK(one(context, block(IOCB_CMD_PREAD, fd, text, 32, 100)) == 0);
    struct iovec two[] = {{text, 3}, {more, 4}};
    CHECK(one(context, block(IOCB_CMD_PREADV, fd, two, 2, 1)) == 7 && memcmp(text, "123", 3) == 0 &&
          memcmp(more, "4567", 4) == 0);
    CHECK(one(context, block(IOCB_CMD_PWRITEV, fd, two, 2, 10)) == 7);
    CHECK(one(context, block(IOCB_CMD_FSYNC, fd, NULL, 0, 0)) == 0);
    CHECK(one(context, block(IOCB_CMD_PREAD, fd, (void *)8, 4, 0)) == -EFAULT);
    char *shown = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(shown != MAP_FAILED && memcmp(shown, "0123456789123", 13) == 0);
    CHECK(one(context, block(IOCB_CMD_PWRITE, fd, "changed", 7, 2)) == 7 && memcmp(shown, "01changed9", 10) == 0);
    munmap(shown, PAGE);
}

static void errors(aio_context_t context, int fd)
{
    char text[8];
    CHECK(one(context, block(IOCB_CMD_PREAD, 999, text, 5, 3)) == -1000 - EBADF);
    CHECK(one(context, block(99, fd, text, 5, 3)) == -1000 - EINVAL);
    int reader = open("/dev/null", O_RDONLY);
    CHECK(one(context, block(IOCB_CMD_PWRITE, reader, text, 5, 3)) == -1000 - EBADF);
    close(reader);
    struct iocb good = block(IOCB_CMD_PREAD, fd, text, 4, 0), bad = block(IOCB_CMD_PREAD, 999, text, 4, 0);
    struct iocb *blocks[] = {&good, &bad, &good};
    struct io_event got[4];
    struct timespec none = {0, 0}, little = {0, 1000000};
    CHECK(submit(context, 3, blocks) == 1);
    CHECK(events_of(context, 2, 1, got, NULL) == -1 && errno == EINVAL);
    CHECK(events_of(context, 0, 4, got, &none) == 1 && got[0].res == 4);
    CHECK(events_of(context, 1, 4, got, &little) == 0);
    CHECK(syscall(SYS_io_cancel, context, &good, got) == -1 && errno == EINVAL);
}

static void readiness(aio_context_t context)
{
    int ends[2], counter = eventfd(0, 0);
    uint64_t count = 0;
    struct io_event got;
    CHECK(pipe(ends) == 0 && counter >= 0);
    struct iocb waits = block(IOCB_CMD_POLL, ends[0], (void *)POLLIN, 0, 0);
    struct iocb *blocks[] = {&waits};
    waits.aio_flags = IOCB_FLAG_RESFD;
    waits.aio_resfd = counter;
    if (submit(context, 1, blocks) != 1)
        return; /* older kernels */
    struct timespec little = {0, 1000000};
    CHECK(events_of(context, 1, 1, &got, &little) == 0);
    pid_t child = fork();
    if (!child) {
        CHECK(submit(context, 0, blocks) == -1 && errno == EINVAL); /* it has no contexts */
        _exit(write(ends[1], "x", 1) != 1);
    }
    CHECK(events_of(context, 1, 1, &got, NULL) == 1 && (got.res & POLLIN) && got.data == 77);
    CHECK(check_wait(child) == 0 && read(counter, &count, sizeof count) == sizeof count && count == 1);
    /* With a mask: the signal waits until then. */
    sigset_t blocked, empty;
    struct { const sigset_t *set; size_t size; } mask = {&empty, 8};
    sigemptyset(&empty);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    signal(SIGUSR1, on_signal);
    CHECK(sigprocmask(SIG_BLOCK, &blocked, NULL) == 0 && raise(SIGUSR1) == 0 && !caught);
    CHECK(syscall(SYS_io_pgetevents, context, 1l, 1l, &got, NULL, &mask) == -1 && errno == EINTR && caught);
    char byte = 0;
    CHECK(one(context, block(IOCB_CMD_PREAD, ends[0], &byte, 1, 0)) == 1 && byte == 'x');
}

int main(void)
{
    aio_context_t context = 0;
    char name[] = "aio.XXXXXX";
    if (setup(16, &context) == -1 && errno == ENOSYS)
        return done();
    int fd = mkstemp(name);
    CHECK(fd >= 0 && unlink(name) == 0);
    contexts();
    transfers(context, fd);
    errors(context, fd);
    readiness(context);
    CHECK(syscall(SYS_io_destroy, context) == 0);
    return done();
}
