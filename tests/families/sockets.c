/* Sockets: unix, inet, netlink; messages with descriptors and addresses; options. */
#include "family.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

CASE(pairs)
{
    int s[2];
    char bytes[64] = "";
    R(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    R(send(s[0], "hello", 5, 0));
    R(recv(s[1], bytes, 64, MSG_PEEK));
    R(recv(s[1], bytes, 3, 0));
    R(recv(s[1], bytes, 64, MSG_DONTWAIT));
    R(recv(s[1], bytes, 64, MSG_DONTWAIT));
    R(shutdown(s[0], SHUT_WR));
    R(recv(s[1], bytes, 64, 0));
    R(shutdown(s[0], 9));
    close(s[1]);
    R(send(s[0], "x", 1, MSG_NOSIGNAL));
    R(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s));
    send(s[0], "one", 3, 0);
    send(s[0], "two", 3, 0);
    R(recv(s[1], bytes, 2, MSG_TRUNC));
    R(recv(s[1], bytes, 64, 0));
    R(socketpair(AF_INET, SOCK_STREAM, 0, s));
    R(socketpair(AF_UNIX, 99, 0, s));
    R(socketpair(AF_UNIX, SOCK_STREAM, 0, nowhere()));
    R(send(0, "x", 1, 0));
    R(recv(-1, bytes, 1, 0));
}

CASE(passed_descriptors)
{
    int s[2], p[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    pipe(p);
    char control[CMSG_SPACE(2 * sizeof(int))], text[16] = "";
    memset(control, 0, sizeof control);
    struct iovec v = {"fds", 3};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(c), p, sizeof p);
    R(sendmsg(s[0], &m, 0));
    v = (struct iovec){text, 15};
    memset(control, 0, sizeof control);
    m.msg_controllen = sizeof control;
    R(recvmsg(s[1], &m, MSG_CMSG_CLOEXEC));
    int got[2];
    c = CMSG_FIRSTHDR(&m);
    memcpy(got, CMSG_DATA(c), sizeof got);
    say("%s flags %x len %zu", text, m.msg_flags, (size_t)m.msg_controllen);
    R(write(got[1], "through", 7));
    R(read(p[0], text, 15));
    say("%s", text);
    int on = 1;
    R(setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
    send(s[0], "x", 1, 0);
    m.msg_controllen = sizeof control;
    R(recvmsg(s[1], &m, 0));
    c = CMSG_FIRSTHDR(&m);
    struct ucred *u = (void *)CMSG_DATA(c);
    say("type %d own %d", c->cmsg_type, u->pid == getpid());
    R(sendmsg(s[0], nowhere(), 0));
    R(recvmsg(s[1], nowhere(), MSG_DONTWAIT));
    m.msg_iovlen = 5000;
    R(sendmsg(s[0], &m, 0));
}

CASE(unix_names)
{
    struct sockaddr_un a = {AF_UNIX, "name"}, b;
    socklen_t n = sizeof b;
    int l = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    R(connect(c, (void *)&a, sizeof a));
    R(bind(l, (void *)&a, sizeof a));
    R(bind(l, (void *)&a, sizeof a));
    R(connect(c, (void *)&a, sizeof a));
    R(listen(l, 1));
    R(connect(c, (void *)&a, sizeof a));
    int s = accept4(l, (void *)&b, &n, SOCK_CLOEXEC);
    say("accepted %d len %d", s >= 0, (int)n);
    n = sizeof b;
    R(getpeername(c, (void *)&b, &n));
    say("%s %d", b.sun_path, (int)n);
    n = 3;
    R(getsockname(l, (void *)&b, &n));
    say("%d", (int)n);
    struct ucred u;
    n = sizeof u;
    R(getsockopt(s, SOL_SOCKET, SO_PEERCRED, &u, &n));
    say("own %d", u.pid == getpid());
    fcntl(l, F_SETFL, O_NONBLOCK);
    R(accept(l, NULL, NULL));
    R(accept(c, NULL, NULL));
    int d = socket(AF_UNIX, SOCK_DGRAM, 0);
    memcpy(a.sun_path, "\0abstract", 9);
    R(bind(d, (void *)&a, 11));
    int e = socket(AF_UNIX, SOCK_DGRAM, 0);
    R(sendto(e, "datagram", 8, 0, (void *)&a, 11));
    char bytes[16] = "";
    n = sizeof b;
    R(recvfrom(d, bytes, 15, 0, (void *)&b, &n));
    say("%s from %d", bytes, (int)n);
    R(sendto(e, "x", 1, 0, (void *)&a, 5));
    R(connect(d, nowhere(), 10));
}

static int bound(int type, struct sockaddr_in *a)
{
    socklen_t n = sizeof *a;
    int s = socket(AF_INET, type, 0);
    *a = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (s < 0 || bind(s, (void *)a, sizeof *a) || getsockname(s, (void *)a, &n))
        say("no network");
    return s;
}

CASE(tcp)
{
    struct sockaddr_in a, b;
    socklen_t n = sizeof b;
    int l = bound(SOCK_STREAM, &a), c = socket(AF_INET, SOCK_STREAM, 0);
    R(listen(l, 5));
    R(connect(c, (void *)&a, sizeof a));
    int s = accept(l, (void *)&b, &n);
    say("accepted %d", s >= 0);
    R(connect(c, (void *)&a, sizeof a));
    char bytes[64] = "";
    R(send(c, "over tcp", 8, 0));
    struct pollfd p = {s, POLLIN, 0};
    R(poll(&p, 1, -1));
    int waiting = 0;
    R(ioctl(s, FIONREAD, &waiting));
    say("%d", waiting);
    R(recv(s, bytes, 63, 0));
    say("%s", bytes);
    int v = 1, w = 0;
    n = sizeof w;
    R(setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &v, sizeof v));
    R(getsockopt(c, IPPROTO_TCP, TCP_NODELAY, &w, &n));
    say("%d %d", w, (int)n);
    R(getsockopt(c, SOL_SOCKET, SO_ERROR, &w, &n));
    R(getsockopt(c, SOL_SOCKET, SO_TYPE, &w, &n));
    say("%d", w);
    R(getsockopt(c, SOL_SOCKET, 9999, &w, &n));
    R(getsockopt(c, 9999, 1, &w, &n));
    R(getsockopt(c, SOL_SOCKET, SO_TYPE, nowhere(), &n));
    n = 2;
    R(getsockopt(c, SOL_SOCKET, SO_TYPE, &w, &n));
    say("%d", (int)n);
    R(setsockopt(c, SOL_SOCKET, SO_KEEPALIVE, &v, 1));
    R(setsockopt(c, SOL_SOCKET, SO_KEEPALIVE, nowhere(), 4));
    struct linger g = {1, 0};
    R(setsockopt(c, SOL_SOCKET, SO_LINGER, &g, sizeof g));
    struct timeval t = {0, 20000};
    R(setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t));
    R(recv(s, bytes, 1, 0));
    R(send(c, "!", 1, MSG_OOB));
    while (poll(&(struct pollfd){s, POLLPRI, 0}, 1, 5000) < 1) {
    }
    R(recv(s, bytes, 1, MSG_OOB));
    close(c);
    R(recv(s, bytes, 1, 0));
    R(shutdown(l, SHUT_RDWR));
    R(socket(AF_INET, SOCK_STREAM, 999));
    R(socket(999, SOCK_STREAM, 0));
    R(socket(AF_INET, 999, 0));
}

CASE(udp_many)
{
    struct sockaddr_in a;
    int r = bound(SOCK_DGRAM, &a), s = socket(AF_INET, SOCK_DGRAM, 0);
    char bytes[3][16];
    memset(bytes, 0, sizeof bytes);
    struct iovec v[3] = {{"first", 5}, {"second", 6}, {"third", 5}};
    struct mmsghdr m[3];
    memset(m, 0, sizeof m);
    for (int i = 0; i < 3; i++)
        m[i].msg_hdr = (struct msghdr){.msg_name = &a, .msg_namelen = sizeof a, .msg_iov = &v[i], .msg_iovlen = 1};
    R(sendmmsg(s, m, 3, 0));
    say("%d %d", m[0].msg_len, m[1].msg_len);
    for (int i = 0; i < 3; i++) {
        v[i] = (struct iovec){bytes[i], 15};
        m[i].msg_hdr.msg_name = NULL;
        m[i].msg_hdr.msg_namelen = 0;
    }
    R(recvmmsg(r, m, 3, MSG_WAITFORONE, NULL));
    say("%s %s %s", bytes[0], bytes[1], bytes[2]);
    struct timespec t = {0, 1000000};
    R(recvmmsg(r, m, 3, MSG_DONTWAIT, &t));
    R(recvmmsg(r, nowhere(), 3, MSG_DONTWAIT, NULL));
    R(sendto(s, "x", 1, 0, NULL, 0));
    R(sendto(s, "x", 1, 0, (void *)&a, 4));
    static char big[70000];
    R(sendto(s, big, sizeof big, 0, (void *)&a, sizeof a));
}

CASE(netlink)
{
    int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    struct {
        struct nlmsghdr h;
        struct rtgenmsg g;
    } ask = {{sizeof ask, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, {AF_UNSPEC}};
    R(send(s, &ask, sizeof ask, 0) == sizeof ask);
    static char bytes[32768];
    long n = recv(s, bytes, sizeof bytes, 0);
    int links = 0;
    for (struct nlmsghdr *h = (void *)bytes; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n))
        links += h->nlmsg_type == RTM_NEWLINK;
    say("links %d", links);
    struct ifreq q = {0};
    int u = socket(AF_INET, SOCK_DGRAM, 0);
    strcpy(q.ifr_name, "lo");
    R(ioctl(u, SIOCGIFINDEX, &q));
    say("%d", q.ifr_ifindex);
    R(ioctl(u, SIOCGIFFLAGS, &q));
    R(ioctl(u, SIOCGIFMTU, &q));
    say("%d", q.ifr_mtu);
    R(ioctl(u, SIOCGIFADDR, &q));
    strcpy(q.ifr_name, "none");
    R(ioctl(u, SIOCGIFMTU, &q));
    struct ifreq many[16];
    struct ifconf c = {.ifc_len = sizeof many, .ifc_req = many};
    R(ioctl(u, SIOCGIFCONF, &c));
    say("%d", c.ifc_len / (int)sizeof *many);
}
