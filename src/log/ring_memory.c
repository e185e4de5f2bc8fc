/* A ring's memory: a memfd that is sealed against shrinking and growing, so that no other process
 * can make this one touch missing pages. Sleeping uses the kernel's futex, shared between
 * processes. */
#include "log/ring_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct error *ring_memory_map(struct ring_memory *m)
{
    void *at = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    if (at == MAP_FAILED)
        return error_errno(errno, "mapping a ring");
    m->shared = at;
    return NULL;
}

struct error *ring_memory_init(struct ring_memory *m, u64 size)
{
    *m = (struct ring_memory){.bytes = ring_bytes(size), .fd = -1};
    m->fd = memfd_create("ebb-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (m->fd < 0 || ftruncate(m->fd, (off_t)m->bytes) < 0)
        return error_errno(errno, "making a ring");
    if (fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return error_errno(errno, "sealing a ring");
    struct error *err = ring_memory_map(m);
    if (!err)
        ring_init(m->shared, size);
    return err;
}

struct error *ring_memory_attach(struct ring_memory *m, int fd)
{
    struct stat st;
    *m = (struct ring_memory){.fd = fd};
    if (fstat(fd, &st) < 0)
        return error_errno(errno, "looking at a ring");
    if (st.st_size < RING_PAGE)
        return error_new("too small for a ring");
    m->bytes = (u64)st.st_size;
    struct error *err = ring_memory_map(m);
    if (!err && !ring_valid(m->shared, m->bytes))
        return error_new("that is not a ring");
    return err;
}

void ring_memory_deinit(struct ring_memory *m)
{
    if (m->shared)
        munmap(m->shared, m->bytes);
    if (m->fd >= 0)
        close(m->fd);
    *m = (struct ring_memory){.fd = -1};
}

static void wait(void *context, u32 *word, u32 value, u64 ns)
{
    struct timespec timeout = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    (void)context;
    syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static void wake(void *context, u32 *word)
{
    (void)context;
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool gone(void *context)
{
    struct pollfd socket = {.fd = *(const int *)context};
    return poll(&socket, 1, 0) == 1 && (socket.revents & (POLLHUP | POLLERR | POLLNVAL));
}

struct ring_host ring_memory_host(const int *socket)
{
    return (struct ring_host){wait, wake, gone, (void *)socket};
}
