/* Old asynchronous input and output (io_setup, io_submit, io_getevents and others), done
 * synchronously.
 *
 * The kernel would write the guest's buffers, and a ring in its memory, at unknown moments. So the
 * engine keeps the contexts: what is submitted is done in io_submit, and its result waits here for
 * io_getevents. To a program this looks like a very fast disk. Only waiting for readiness
 * (IOCB_CMD_POLL) is left to io_getevents.
 *
 * libaio takes a context's number for the address of a ring, and looks for a magic number there
 * before it asks the kernel. The engine uses addresses in the vDSO, which do not have the magic
 * number.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapping.h"
#include "engine/share/share.h"
#include "engine/signals/signals.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/enter.h"
#include "log/syscall_structs.h"

enum {
    CONTEXTS = 64,
    CONTEXT_STEP = 16, /* bytes from one number to the next */
    EVENTS_MOST = 65536,
    POLLED_MOST = 64, /* at a time */
    VECTOR_MOST = 1024,
    LOOK_NS = 10000000, /* how often a thread that polls looks for what others have submitted */
};

enum aio_operation {
    AIO_READ = 0,
    AIO_WRITE = 1,
    AIO_SYNC = 2,
    AIO_DATA_SYNC = 3,
    AIO_POLL = 5,
    AIO_READ_VECTOR = 7,
    AIO_WRITE_VECTOR = 8,
};
enum {
    AIO_FLAG_EVENTFD = 1,
    K_FUTEX_WAKE = 1,
    K_FUTEX_WAIT_BITSET = 9,
    K_FUTEX_PRIVATE = 128,
    K_MONOTONIC = 1,
};

struct aio_context {
    i64 pid; /* pid of the process that made it, since a child of fork has none; 0: not in use */
    u32 most;
    u32 first, count; /* of the events, a ring */
    u32 room;         /* of it */
    struct k_io_event *events;
    u32 changes; /* counts what io_getevents may wait for: a futex */
    u32 waiting; /* threads that wait for a change */
    u32 polls;   /* that wait: */
    struct k_iocb polled[POLLED_MOST];
    u64 polled_at[POLLED_MOST];
};

static struct {
    struct aio_context *contexts; /* NULL until the first is made */
    struct k_iovec ranges[VECTOR_MOST]; /* of the operation at hand */
} aio;

static u64 vdso_start(void)
{
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        if (a->flags & AREA_VDSO)
            return a->start;
    return 0;
}

static struct aio_context *context_of(u64 number)
{
    u64 index = (number - vdso_start()) / CONTEXT_STEP;
    if (!aio.contexts || index >= CONTEXTS || number % CONTEXT_STEP)
        return NULL;
    return aio.contexts[index].pid == kernel_call(__NR_getpid) ? &aio.contexts[index] : NULL;
}

static struct aio_context *unused_context(i64 pid)
{
    if (!aio.contexts)
        aio.contexts = pool_map(CONTEXTS * sizeof(*aio.contexts), 4096);
    for (unsigned n = 0; n < CONTEXTS; n++)
        if (aio.contexts[n].pid != pid)
            return &aio.contexts[n];
    return NULL;
}

/* Threads in io_getevents are to look again. */
static void aio_changed(struct aio_context *c)
{
    c->changes++;
    if (c->waiting)
        kernel_call(__NR_futex, &c->changes, K_FUTEX_WAKE | K_FUTEX_PRIVATE, 0x7fffffff);
}

i64 call_io_setup(struct call *call)
{
    u32 count = (u32)call->args[0];
    struct gaddr where = gaddr(call->args[1]);
    u64 number, start = vdso_start();
    i64 pid = kernel_call(__NR_getpid);
    if (!guest_read_u64(where, &number))
        return -EFAULT;
    if (number || !count)
        return -EINVAL;
    struct aio_context *c = unused_context(pid);
    if (count > EVENTS_MOST || !c || !start)
        return -EAGAIN;
    if (c->room < count) {
        c->events = pool_map(count * sizeof(*c->events), 4096);
        c->room = count;
    }
    number = start + (u64)(c - aio.contexts) * CONTEXT_STEP;
    if (!guest_write(where, &number, sizeof(number)))
        return -EFAULT;
    c->pid = pid;
    c->most = count;
    c->first = c->count = c->polls = 0;
    return 0;
}

i64 call_io_destroy(struct call *call)
{
    struct aio_context *c = context_of(call->args[0]);
    if (!c)
        return -EINVAL;
    c->pid = 0;
    aio_changed(c);
    return 0;
}

/* --- doing it --------------------------------------------------------------------------------- */

static void aio_complete(struct aio_context *c, const struct k_iocb *block, u64 at, i64 result)
{
    u64 one = 1;
    c->events[(c->first + c->count++) % c->most] = (struct k_io_event){block->data, at, result, 0};
    if (block->flags & AIO_FLAG_EVENTFD)
        kernel_call(__NR_write, block->event_fd, &one, sizeof(one));
    aio_changed(c);
}

/* Waits without the baton until the descriptor, a pipe or a socket, is ready. */
static i64 wait_until_ready(const struct k_iocb *block, i16 events)
{
    struct k_pollfd fd = {(i32)block->fd, events, 0};
    u64 args[6] = {(u64)&fd, 1, (u64)-1l};
    thread_give_baton();
    i64 result = engine_make_call(__NR_poll, args, &thread_self()->signal_waiting);
    thread_take_baton();
    return result;
}

static void before_kernel_writes(const struct k_iovec *range)
{
    code_watch_release(range->base, range->base + range->size);
    if (share_member)
        share_release(range->base, range->base + range->size);
}

static void after_kernel_wrote(const struct k_iovec *ranges, u64 count, u64 bytes)
{
    for (u64 n = 0; n < count && bytes; n++) {
        u64 size = ranges[n].size < bytes ? ranges[n].size : bytes;
        log_wrote(gaddr(ranges[n].base), size);
        bytes -= size;
    }
}

/* Handles that a mapped file has changed. */
static void after_file_changed(const struct k_iocb *block, u64 bytes)
{
    struct k_stat st;
    if (kernel_failed(kernel_call(__NR_fstat, block->fd, &st)))
        return;
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        if (!(a->flags & AREA_FILE) || a->inode != st.inode || a->device != st.device)
            continue;
        u64 from = block->offset > a->offset ? block->offset - a->offset : 0;
        u64 end = block->offset + bytes > a->offset ? block->offset + bytes - a->offset : 0;
        u64 to = end < a->end - a->start ? end : a->end - a->start;
        if (from < to)
            log_wrote(gaddr(a->start + from), to - from);
    }
}

static i64 read_vector(const struct k_iocb *block, struct k_iovec *ret, u64 *ret_count)
{
    bool vector = block->operation == AIO_READ_VECTOR || block->operation == AIO_WRITE_VECTOR;
    *ret_count = vector ? block->size : 1;
    ret[0] = (struct k_iovec){block->buffer, block->size};
    if (*ret_count > VECTOR_MOST)
        return -EINVAL;
    if (vector && !guest_read(ret, gaddr(block->buffer), *ret_count * sizeof(*ret)))
        return -EFAULT;
    for (u64 n = 0; n < *ret_count; n++) {
        if ((i64)ret[n].size < 0)
            return -EINVAL;
        if (ret[n].size && address_refused(ret[n].base, ret[n].size))
            ret[n].base = ~0ul >> 2; /* the engine's memory does not exist for the guest */
    }
    return 0;
}

/* Returns the result of the operation; AIO_NOT_DONE: *ret is the result of io_submit. */
#define AIO_NOT_DONE (-100000)

static i64 transfer(const struct k_iocb *block, bool reads, i64 *ret)
{
    struct k_iovec *ranges = aio.ranges;
    u64 count;
    *ret = read_vector(block, ranges, &count);
    if (*ret)
        return AIO_NOT_DONE;
    for (u64 n = 0; reads && n < count; n++)
        before_kernel_writes(&ranges[n]);
    i64 done = reads ? kernel_call(__NR_preadv2, block->fd, ranges, count, block->offset, 0,
                                   block->rw_flags)
                     : kernel_call(__NR_pwritev2, block->fd, ranges, count, block->offset, 0,
                                   block->rw_flags);
    if (done == -ESPIPE) {
        enum { READY_IN = 1, READY_OUT = 4 };
        i64 ready = wait_until_ready(block, reads ? READY_IN : READY_OUT);
        *ret = ready;
        /* another thread may have used the ranges */
        if (ready <= 0 || read_vector(block, ranges, &count))
            return AIO_NOT_DONE;
        done = reads ? kernel_call(__NR_readv, block->fd, ranges, count)
                     : kernel_call(__NR_writev, block->fd, ranges, count);
    }
    if (done == -EBADF) {
        *ret = -EBADF;
        return AIO_NOT_DONE;
    }
    if (done > 0 && reads)
        after_kernel_wrote(ranges, count, (u64)done);
    else if (done > 0)
        after_file_changed(block, (u64)done);
    return done;
}

static i64 synchronise(const struct k_iocb *block, i64 *ret)
{
    i64 done = -EINVAL;
    if (!block->buffer && !block->offset && !block->size && !block->rw_flags)
        done = block->operation == AIO_SYNC ? kernel_call(__NR_fsync, block->fd)
                                            : kernel_call(__NR_fdatasync, block->fd);
    *ret = done;
    return done == -EINVAL || done == -EBADF ? AIO_NOT_DONE : done;
}

static i64 poll_later(struct aio_context *c, const struct k_iocb *block, u64 at)
{
    if (block->buffer > 0xffff || block->offset || block->size || block->rw_flags)
        return -EINVAL;
    if (c->polls == POLLED_MOST)
        return -EAGAIN;
    c->polled[c->polls] = *block;
    c->polled_at[c->polls++] = at;
    aio_changed(c);
    return 0;
}

static bool is_open(u64 fd)
{
    enum { K_F_GETFD = 1 };
    return !kernel_failed(kernel_call(__NR_fcntl, fd, K_F_GETFD));
}

static i64 check_block(const struct aio_context *c, const struct k_iocb *block)
{
    if (block->reserved || (i64)block->size < 0)
        return -EINVAL;
    if (c->count + c->polls >= c->most)
        return -EAGAIN;
    if (!is_open(block->fd))
        return -EBADF;
    if ((block->flags & AIO_FLAG_EVENTFD) && !is_open(block->event_fd))
        return -EBADF;
    return block->flags & ~(u32)AIO_FLAG_EVENTFD ? -EINVAL : 0;
}

static i64 submit_one(struct aio_context *c, u64 at)
{
    struct k_iocb block;
    i64 failed = 0, done = AIO_NOT_DONE;
    u32 key = 0;
    if (!guest_read(&block, gaddr(at), sizeof(block)))
        return -EFAULT;
    if ((failed = check_block(c, &block)))
        return failed;
    if (block.key != key) {
        if (!guest_write(gaddr(at + offsetof(struct k_iocb, key)), &key, sizeof(key)))
            return -EFAULT;
        log_wrote(gaddr(at + offsetof(struct k_iocb, key)), sizeof(key));
    }
    switch (block.operation) {
    case AIO_READ:
    case AIO_READ_VECTOR:
        done = transfer(&block, true, &failed);
        break;
    case AIO_WRITE:
    case AIO_WRITE_VECTOR:
        done = transfer(&block, false, &failed);
        break;
    case AIO_SYNC:
    case AIO_DATA_SYNC:
        done = synchronise(&block, &failed);
        break;
    case AIO_POLL:
        return poll_later(c, &block, at);
    default:
        return -EINVAL;
    }
    if (done == AIO_NOT_DONE)
        return failed;
    aio_complete(c, &block, at, done);
    return 0;
}

i64 call_io_submit(struct call *call)
{
    struct aio_context *c = context_of(call->args[0]);
    i64 count = (i64)call->args[1], n = 0, failed = 0;
    if (!c || count < 0)
        return -EINVAL;
    if (count > c->most)
        count = c->most;
    for (; n < count && !failed; n++) {
        u64 at;
        failed =
            guest_read_u64(gaddr(call->args[2] + 8 * (u64)n), &at) ? submit_one(c, at) : -EFAULT;
    }
    if (failed && n == 1)
        return failed;
    return failed ? n - 1 : n;
}

/* --- what came of it -------------------------------------------------------------------------- */

static void drop_poll(struct aio_context *c, u32 n)
{
    c->polls--;
    memmove(&c->polled[n], &c->polled[n + 1], (c->polls - n) * sizeof(c->polled[0]));
    memmove(&c->polled_at[n], &c->polled_at[n + 1], (c->polls - n) * sizeof(c->polled_at[0]));
}

static i64 aio_nanoseconds(const struct k_timespec *t)
{
    return t->seconds * 1000000000 + t->nanoseconds;
}

static i64 aio_now(void)
{
    struct k_timespec now = {0};
    kernel_call(__NR_clock_gettime, K_MONOTONIC, &now);
    return aio_nanoseconds(&now);
}

static u32 polled_descriptors(const struct aio_context *c, struct k_pollfd *ret)
{
    for (u32 n = 0; n < c->polls; n++)
        ret[n] = (struct k_pollfd){(i32)c->polled[n].fd, (i16)c->polled[n].buffer, 0};
    return c->polls;
}

static void take_ready(struct aio_context *c)
{
    struct k_pollfd fds[POLLED_MOST];
    u32 count = polled_descriptors(c, fds);
    if (!count || kernel_call(__NR_poll, fds, count, 0) <= 0)
        return;
    for (u32 n = count; n > 0; n--) {
        if (!fds[n - 1].revents)
            continue;
        aio_complete(c, &c->polled[n - 1], c->polled_at[n - 1], fds[n - 1].revents);
        drop_poll(c, n - 1);
    }
}

/* Both without the baton, until something may have changed (1), the time is over (0), or a signal
 * comes.  `ends` is by the monotonic clock; NULL: never. */

static i64 wait_for_change(struct aio_context *c, const struct k_timespec *ends)
{
    u64 args[6] = {(u64)&c->changes, K_FUTEX_WAIT_BITSET | K_FUTEX_PRIVATE, c->changes,
                   (u64)ends, 0, 0xffffffff};
    c->waiting++;
    thread_give_baton();
    i64 result = engine_make_call(__NR_futex, args, &thread_self()->signal_waiting);
    thread_take_baton();
    c->waiting--;
    return result == -ETIMEDOUT ? 0 : result == 0 || result == -EAGAIN ? 1 : result;
}

static i64 wait_for_polls(struct aio_context *c, const struct k_timespec *ends)
{
    struct k_pollfd fds[POLLED_MOST];
    struct k_timespec slice = {0, LOOK_NS};
    i64 left = ends ? aio_nanoseconds(ends) - aio_now() : LOOK_NS;
    if (left < LOOK_NS)
        slice.nanoseconds = left > 0 ? left : 0;
    u64 args[6] = {(u64)fds, polled_descriptors(c, fds), (u64)&slice};
    thread_give_baton();
    i64 result = engine_make_call(__NR_ppoll, args, &thread_self()->signal_waiting);
    thread_take_baton();
    return result ? result : left > slice.nanoseconds || !ends;
}

static i64 hand_out(struct aio_context *c, i64 most, u64 to)
{
    i64 n = 0;
    for (; n < most && c->count; n++, c->count--) {
        if (!guest_write(gaddr(to + (u64)n * sizeof(struct k_io_event)), &c->events[c->first],
                         sizeof(struct k_io_event)))
            return n ? n : -EFAULT;
        c->first = (c->first + 1) % c->most;
    }
    return n;
}

i64 call_io_getevents(struct call *call)
{
    const u64 *a = call->args;
    i64 least = (i64)a[1], most = (i64)a[2];
    struct k_timespec limit, *ends = NULL;
    if (a[4] && !guest_read(&limit, gaddr(a[4]), sizeof(limit)))
        return -EFAULT;
    if (a[4]) {
        u64 end = (u64)aio_now() + (u64)aio_nanoseconds(&limit);
        limit = (struct k_timespec){(i64)(end / 1000000000), (i64)(end % 1000000000)};
        ends = &limit;
    }
    for (;;) {
        struct aio_context *c = context_of(a[0]); /* another thread may have destroyed it */
        if (!c || least < 0 || least > most)
            return -EINVAL;
        take_ready(c);
        if (c->count >= least)
            return hand_out(c, most, a[3]);
        i64 woken = c->polls ? wait_for_polls(c, ends) : wait_for_change(c, ends);
        if (woken < 0)
            return c->count && woken == -EINTR ? hand_out(c, most, a[3]) : woken;
        if (woken == 0)
            return hand_out(c, most, a[3]);
    }
}

/* The same with a signal mask, like ppoll; in a replay only the mask has to be changed. */
i64 call_io_pgetevents(struct call *call)
{
    u64 pair[2] = {0, 0}, mask;
    if (call->args[5] && !guest_read(pair, gaddr(call->args[5]), sizeof(pair)))
        return -EFAULT;
    if (pair[0] && pair[1] != sizeof(mask))
        return -EINVAL;
    if (pair[0] && !guest_read_u64(gaddr(pair[0]), &mask))
        return -EFAULT;
    if (pair[0])
        signals_mask_for_call(mask);
    i64 result = log_owner->live ? call_io_getevents(call) : call_pass(call);
    if (!pair[0])
        return result;
    signals_mask_after_call();
    return result == CALL_AGAIN && log_owner->live ? -EINTR : result;
}

/* Only waiting operations can be cancelled; their end is an ordinary event. */
i64 call_io_cancel(struct call *call)
{
    struct aio_context *c = context_of(call->args[0]);
    struct k_iocb block;
    if (!guest_read(&block, gaddr(call->args[1]), sizeof(block)))
        return -EFAULT;
    if (block.key || !c)
        return -EINVAL;
    for (u32 n = 0; n < c->polls; n++) {
        if (c->polled_at[n] == call->args[1]) {
            aio_complete(c, &c->polled[n], c->polled_at[n], 0);
            drop_poll(c, n);
            return -EINPROGRESS;
        }
    }
    return -EINVAL;
}
