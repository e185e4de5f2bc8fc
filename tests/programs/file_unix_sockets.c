/* Unix sockets: socketpair, named ones, datagrams, descriptors and credentials passed along.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

static void send_fd(int socket, int fd)
{
    union { char space[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control = {0};
    struct iovec data = {"x", 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    CHECK(sendmsg(socket, &message, 0) == 1);
}

static int receive_fd(int socket)
{
    union { char space[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
    char byte;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control};
    CHECK(recvmsg(socket, &message, 0) == 1 && byte == 'x');
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    CHECK(header && header->cmsg_type == SCM_RIGHTS);
    int fd;
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

int main(void)
{
    int pair[2], fds[2];
    char buf[16];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK(pipe(fds) == 0);
        send_fd(pair[1], fds[1]);
        CHECK(read(fds[0], buf, 16) == 5 && !memcmp(buf, "hello", 5));
        _exit(0);
    }
    int got = receive_fd(pair[0]);
    CHECK(write(got, "hello", 5) == 5 && check_wait(child) == 0);
    struct ucred peer;
    socklen_t size = sizeof peer;
    CHECK(getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getuid());

    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "named"};
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(client, (struct sockaddr *)&address, sizeof address) < 0 && errno == ENOENT);
    CHECK(bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 1) == 0);
    CHECK(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    int accepted = accept(server, NULL, NULL);
    CHECK(accepted >= 0 && write(client, "named", 5) == 5 && read(accepted, buf, 16) == 5);

    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    struct mmsghdr many[2] = {0};
    struct iovec parts[2] = {{"first", 5}, {"second", 6}};
    for (int i = 0; i < 2; i++)
        many[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
    CHECK(sendmmsg(pair[0], many, 2, 0) == 2 && many[1].msg_len == 6);
    CHECK(recv(pair[1], buf, 16, MSG_PEEK) == 5 && recv(pair[1], buf, 16, 0) == 5);
    CHECK(recv(pair[1], buf, 16, 0) == 6 && !memcmp(buf, "second", 6));
    CHECK(recv(pair[1], buf, 16, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    return done();
}
