/* The engine's connection to ebb: see track.h.
 *
 * One socket carries messages with attached descriptors, and a ring in shared memory carries
 * events. The kernel's structures for sendmsg and poll are defined here, because the engine has no
 * libc.
 */
#include "engine/track/track.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "log/control.h"

enum {
    K_AF_UNIX = 1,
    K_SOCK_SEQPACKET = 5,
    K_SOCK_CLOEXEC = 02000000,
    K_SOL_SOCKET = 1,
    K_SCM_RIGHTS = 1,
    K_MSG_NOSIGNAL = 0x4000,
    K_MSG_CMSG_CLOEXEC = 0x40000000,
    K_POLLIN = 1,
    K_POLLHUP = 0x10,
    K_POLLERR = 8,
    K_FUTEX_WAIT = 0,
    K_FUTEX_WAKE = 1,
    NANOSECONDS = 1000000000,
};

struct track_iovec {
    void *base;
    u64 size;
};

struct track_msghdr {
    void *name;
    u32 name_size;
    struct track_iovec *parts;
    u64 part_count;
    void *control;
    u64 control_size;
    u32 flags;
};

struct k_descriptor_message { /* cmsghdr with one descriptor */
    u64 size;
    i32 level;
    i32 type;
    i32 fd;
    i32 padding;
};

enum { DESCRIPTOR_MESSAGE = 20 }; /* its bytes that count */

struct track_pollfd {
    i32 fd;
    i16 wanted;
    i16 got;
};

struct track_state track = {.number = TRACK_NONE};

static struct {
    i32 shared, own;
    bool stop_heard; /* a session may send it while the engine waits for an answer */
} sockets = {.shared = -1, .own = -1};

/* --- the ring's host ------------------------------------------------------------ */

static void host_wait(void *context, u32 *word, u32 value, u64 ns)
{
    (void)context;
    struct k_timespec time = {(i64)(ns / NANOSECONDS), (i64)(ns % NANOSECONDS)};
    kernel_call(__NR_futex, word, K_FUTEX_WAIT, value, &time);
}

static void host_wake(void *context, u32 *word)
{
    (void)context;
    kernel_call(__NR_futex, word, K_FUTEX_WAKE, 1);
}

static bool host_gone(void *context)
{
    (void)context;
    struct track_pollfd poll = {.fd = sockets.own};
    i64 ready = kernel_call(__NR_poll, &poll, 1, 0);
    return ready > 0 && (poll.got & (K_POLLHUP | K_POLLERR));
}

const struct ring_host track_host = {host_wait, host_wake, host_gone, NULL};

/* --- messages --------------------------------------------------------------------- */

static bool send_parts(i32 socket, struct track_iovec *parts, u64 count, i32 fd)
{
    struct k_descriptor_message control = {DESCRIPTOR_MESSAGE, K_SOL_SOCKET, K_SCM_RIGHTS, fd, 0};
    struct track_msghdr header = {.parts = parts, .part_count = count};
    if (fd >= 0) {
        header.control = &control;
        header.control_size = sizeof(control);
    }
    i64 sent;
    do
        sent = kernel_call(__NR_sendmsg, socket, &header, K_MSG_NOSIGNAL);
    while (sent == -EINTR);
    return !kernel_failed(sent);
}

static bool send_on(i32 socket, const struct channel_message *message, i32 fd)
{
    struct track_iovec part = {(void *)message, message->size};
    return send_parts(socket, &part, 1, fd);
}

static i64 receive_some(i32 socket, struct channel_message *ret, u32 size, i32 *ret_fd)
{
    struct k_descriptor_message control = {0};
    struct track_iovec part = {ret, size};
    struct track_msghdr header = {.parts = &part, .part_count = 1, .control = &control,
                              .control_size = sizeof(control)};
    i64 got;
    do
        got = kernel_call(__NR_recvmsg, socket, &header, K_MSG_CMSG_CLOEXEC);
    while (got == -EINTR);
    *ret_fd = control.type == K_SCM_RIGHTS && control.size ? control.fd : -1;
    return got;
}

static bool is_stop(const struct channel_message *m, i64 got)
{
    bool stop = got == (i64)sizeof(*m) && m->kind == CONTROL_STOP;
    sockets.stop_heard |= stop;
    return stop;
}

static bool receive_on(i32 socket, u32 kind, struct channel_message *ret, u32 size, i32 *ret_fd)
{
    i64 got;
    do
        got = receive_some(socket, ret, size, ret_fd);
    while (is_stop(ret, got));
    return got == (i64)size && ret->kind == kind && ret->size == size;
}

bool track_send(const struct channel_message *message, i32 fd)
{
    return sockets.own >= 0 && send_on(sockets.own, message, fd);
}

bool track_receive(u32 kind, struct channel_message *ret, u32 size, i32 *fd)
{
    *fd = -1;
    return sockets.own >= 0 && receive_on(sockets.own, kind, ret, size, fd);
}

u32 track_receive_any(struct channel_message *ret, u32 most, i32 *fd)
{
    *fd = -1;
    i64 got = sockets.own >= 0 ? receive_some(sockets.own, ret, most, fd) : 0;
    return got >= (i64)sizeof(*ret) ? (u32)got : 0;
}

bool track_send_with(const struct channel_message *message, const void *bytes, u64 size, i32 fd)
{
    struct track_iovec parts[] = {{(void *)message, message->size}, {(void *)bytes, size}};
    return sockets.own >= 0 && send_parts(sockets.own, parts, 2, fd);
}

bool track_heard(void)
{
    struct track_pollfd poll = {.fd = sockets.own, .wanted = K_POLLIN};
    bool heard = sockets.stop_heard || kernel_call(__NR_poll, &poll, 1, 0) > 0;
    sockets.stop_heard = false;
    return heard;
}

void track_forget_stop(void)
{
    sockets.stop_heard = false;
}

void track_adopt(i32 socket)
{
    descriptors_drop(sockets.own);
    if (kernel_failed(descriptors_keep(socket, true, &sockets.own)))
        sockets.own = -1;
}

/* --- opening ------------------------------------------------------------------------ */

void track_start(void)
{
    i32 given = settings.record ? settings.record : settings.replay;
    if (given && kernel_failed(descriptors_keep(given, false, &sockets.shared)))
        sockets.shared = -1;
}

i32 track_shared_socket(void)
{
    return sockets.shared;
}

static bool say_hello(const struct track_origin_info *info)
{
    i32 ends[2];
    if (kernel_call(__NR_socketpair, K_AF_UNIX, K_SOCK_SEQPACKET | K_SOCK_CLOEXEC, 0, ends))
        return false;
    struct channel_hello hello = {
        .message = {CHANNEL_HELLO, sizeof(hello)},
        .version = CHANNEL_VERSION,
        .pid = (u32)kernel_call(__NR_getpid),
        .origin = info->origin,
        .parent = info->parent,
        .parent_tick = info->parent_tick,
        .parent_pc = info->parent_pc,
    };
    bool sent = send_on(sockets.shared, &hello.message, ends[1]);
    kernel_call(__NR_close, ends[1]);
    if (!sent || kernel_failed(descriptors_keep(ends[0], true, &sockets.own))) {
        kernel_call(__NR_close, ends[0]);
        return false;
    }
    return true;
}

/* Maps the ring in the range of pools, away from the guest. */
static bool map_ring(i32 fd, u64 size)
{
    u64 bytes = ring_bytes(size);
    void *place = pool_try_map(bytes, PAGE_SIZE);
    if (!place)
        return false;
    i64 got =
        kernel_call(__NR_mmap, place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    if (kernel_failed(got))
        return false;
    track.ring = place;
    return ring_valid(track.ring, bytes);
}

static bool map_events(i32 fd, u64 size)
{
    void *place = pool_try_map(size ? size : 1, PAGE_SIZE);
    if (!place)
        return false;
    if (size && kernel_failed(
                    kernel_call(__NR_mmap, place, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0)))
        return false;
    track.events = place;
    track.events_size = size;
    return true;
}

static bool map_what_came(i32 fd, const struct channel_welcome *w)
{
    return w->flags & CHANNEL_CONTROLLED ? map_events(fd, w->ring_size)
                                         : map_ring(fd, w->ring_size);
}

static bool take_welcome(void)
{
    struct channel_welcome welcome = {0};
    i32 fd = -1;
    if (!receive_on(sockets.own, CHANNEL_WELCOME, &welcome.message, sizeof(welcome), &fd))
        return false;
    bool good = !welcome.error && fd >= 0 && map_what_came(fd, &welcome);
    if (fd >= 0)
        kernel_call(__NR_close, fd);
    track.number = welcome.track;
    track.in_tree = welcome.flags & CHANNEL_TREE;
    track.is_interval = welcome.flags & CHANNEL_INTERVAL;
    track.snapshots = welcome.snapshots;
    track.exact = welcome.flags & CHANNEL_EXACT;
    return good;
}

bool track_open(const struct track_origin_info *info)
{
    u64 limit[2];
    track.ring = NULL;
    descriptors_widen(limit);
    bool good = sockets.shared >= 0 && say_hello(info) && take_welcome();
    descriptors_narrow(limit);
    return good;
}

void track_close(void)
{
    if (sockets.own >= 0)
        descriptors_drop(sockets.own);
    sockets.own = -1;
    if (track.ring)
        pool_unmap(track.ring, ring_bytes(track.ring->size));
    track.ring = NULL;
}
