/* Sockets on loopback: TCP between two processes, UDP, options, shutdown.
 */
#include "check.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static int listening(int type, struct sockaddr_in *address)
{
    int fd = socket(AF_INET, type, 0), one = 1;
    socklen_t size = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0);
    CHECK(bind(fd, (struct sockaddr *)address, size) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)address, &size) == 0 && address->sin_port != 0);
    return fd;
}

static void client(struct sockaddr_in *address)
{
    char text[32], back[32];
    for (int i = 0; i < 20; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(connect(fd, (struct sockaddr *)address, sizeof *address) == 0);
        int len = snprintf(text, sizeof text, "message %d", i);
        CHECK(send(fd, text, len, 0) == len && shutdown(fd, SHUT_WR) == 0);
        int got = 0, n;
        while ((n = recv(fd, back + got, sizeof back - got, 0)) > 0)
            got += n;
        CHECK(got == len && !memcmp(text, back, len) && close(fd) == 0);
    }
}

static void tcp(void)
{
    struct sockaddr_in address, peer;
    int server = listening(SOCK_STREAM, &address);
    CHECK(listen(server, 5) == 0);
    pid_t child = fork();
    if (child == 0) {
        client(&address);
        _exit(0);
    }
    for (int i = 0; i < 20; i++) {
        socklen_t size = sizeof peer;
        int fd = accept4(server, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC), n, one = 1;
        CHECK(fd >= 0 && peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
        CHECK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0);
        char buf[32];
        while ((n = read(fd, buf, sizeof buf)) > 0)
            CHECK(write(fd, buf, n) == n);
        CHECK(n == 0 && close(fd) == 0);
    }
    CHECK(check_wait(child) == 0);
    CHECK(fcntl(server, F_SETFL, O_NONBLOCK) == 0);
    CHECK(accept(server, NULL, NULL) < 0 && errno == EAGAIN && close(server) == 0);
}

static void udp(void)
{
    struct sockaddr_in a, b, from;
    int one = listening(SOCK_DGRAM, &a), two = listening(SOCK_DGRAM, &b);
    char buf[10];
    socklen_t size = sizeof from;
    CHECK(sendto(one, "datagram", 8, 0, (struct sockaddr *)&b, sizeof b) == 8);
    CHECK(recvfrom(two, buf, 4, MSG_TRUNC, (struct sockaddr *)&from, &size) == 8);
    CHECK(from.sin_port == a.sin_port && size == sizeof from && !memcmp(buf, "data", 4));
}

int main(void)
{
    tcp();
    udp();
    return done();
}
