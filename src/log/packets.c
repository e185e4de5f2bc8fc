/* Messages over a socket: see the header. */
#include "log/packets.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const u32 sizes[] = {
    [CHANNEL_HELLO] = sizeof(struct channel_hello),
    [CHANNEL_WELCOME] = sizeof(struct channel_welcome),
    [CHANNEL_KEEP] = sizeof(struct channel_keep),
    [CHANNEL_KEPT] = sizeof(struct channel_kept),
    [CHANNEL_VERDICT] = sizeof(struct channel_verdict),
    [CHANNEL_FETCH] = sizeof(struct channel_fetch),
    [CHANNEL_FORK] = sizeof(struct channel_fork),
    [CHANNEL_LEAVE] = sizeof(struct channel_leave),
    [CHANNEL_FORKED] = sizeof(struct channel_forked),
    [CHANNEL_READY] = sizeof(struct channel_message),
    [CHANNEL_GO] = sizeof(struct channel_message),
    [CHANNEL_BOUND] = sizeof(struct channel_bound),
    [CHANNEL_ROOM] = sizeof(struct channel_room),
    [CHANNEL_GIVEN] = sizeof(struct channel_given),
    [CHANNEL_SNAPSHOT] = sizeof(struct channel_snapshot),
};

/* Room for one descriptor; the kernel closes those that do not fit. */
union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static int packets_attached(struct msghdr *m)
{
    int fd = -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

static bool well_formed(const union packet *p, size_t size)
{
    return size >= sizeof p->message && p->message.size == size &&
           p->message.kind < countof(sizes) && sizes[p->message.kind] == size;
}

enum packet_result packet_receive(int socket, union packet *ret, int *fd)
{
    union control control;
    struct iovec part = {ret, sizeof *ret};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                       .msg_controllen = sizeof control};
    *fd = -1;
    ssize_t n = recvmsg(socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? PACKET_NONE : PACKET_CLOSED;
    *fd = packets_attached(&m);
    if (n == 0 && *fd < 0)
        return PACKET_CLOSED;
    if (!(m.msg_flags & MSG_TRUNC) && well_formed(ret, (size_t)n))
        return PACKET_GOT;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return PACKET_MALFORMED;
}

void packet_wait(int socket)
{
    struct pollfd p = {.fd = socket, .events = POLLIN};
    poll(&p, 1, -1);
}

bool packet_send_with(int socket, struct channel_message *message, u32 kind, u32 size,
                      const void *more, size_t more_size, int fd)
{
    union control control = {0};
    struct iovec parts[2] = {{message, size}, {(void *)more, more_size}};
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = more_size ? 2 : 1};
    message->kind = kind;
    message->size = size;
    if (fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t n;
    do
        n = sendmsg(socket, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)(size + more_size);
}

bool packet_send(int socket, struct channel_message *message, u32 kind, u32 size, int fd)
{
    return packet_send_with(socket, message, kind, size, NULL, 0, fd);
}
