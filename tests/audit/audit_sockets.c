/* Cases of the audit: sockets, all of them local to this machine.
 *
 * Both ends of a connection are in this process. audit.h has the macros.
 */
#include "audit.h"

#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int pair[2];

static int *sockets(int type)
{
    need(socketpair(AF_UNIX, type, 0, pair) == 0);
    return pair;
}

static struct sockaddr_in loopback(void)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

/* A socket bound to a port of the kernel's choice. */
static int bound(int type, struct sockaddr_in *name)
{
    socklen_t size = sizeof *name;
    int fd = socket(AF_INET, type, 0);
    *name = loopback();
    need(fd >= 0 && bind(fd, (void *)name, size) == 0);
    need(getsockname(fd, (void *)name, &size) == 0);
    return fd;
}

static int connected; /* the other end of what listening() has waiting */

static int listening(void)
{
    struct sockaddr_in name;
    int fd = bound(SOCK_STREAM, &name);
    need(listen(fd, 1) == 0);
    connected = socket(AF_INET, SOCK_STREAM, 0);
    need(connect(connected, (void *)&name, sizeof name) == 0);
    return fd;
}

/* A datagram has arrived. */
static int addressed(const char *content)
{
    struct sockaddr_in name, other;
    int fd = bound(SOCK_DGRAM, &name), from = bound(SOCK_DGRAM, &other);
    ssize_t size = (ssize_t)strlen(content);
    need(sendto(from, content, (size_t)size, 0, (void *)&name, sizeof name) == size);
    return fd;
}

CASE(socket)             { call(SYS_socket, AF_UNIX, SOCK_STREAM, 0); }
CASE(socketpair)         { call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, P(out(8))); }
CASE(socketpair_fails)   { call(SYS_socketpair, AF_INET, SOCK_STREAM, 0, P(out(8))); fails_with(95); }
CASE(socketpair_bad)     { call(SYS_socketpair, AF_UNIX, 99, 0, P(out(8))); fails_with(22); }
CASE(accept)             { call(SYS_accept, listening(), P(out(128)), P(length(128))); }
CASE(accept_cut)         { call(SYS_accept, listening(), P(out(5)), P(length(5))); }
CASE(accept_nameless)    { call(SYS_accept, listening(), 0, 0); }
CASE(accept4)            { call(SYS_accept4, listening(), P(out(128)), P(length(128)), SOCK_CLOEXEC); }
CASE(getsockname)        { struct sockaddr_in n; call(SYS_getsockname, bound(SOCK_DGRAM, &n), P(out(128)), P(length(128))); }
CASE(getsockname_cut)    { struct sockaddr_in n; call(SYS_getsockname, bound(SOCK_DGRAM, &n), P(out(3)), P(length(3))); }
CASE(getsockname_unix)   { call(SYS_getsockname, sockets(SOCK_STREAM)[0], P(out(128)), P(length(128))); }
CASE(getpeername)        { listening(); call(SYS_getpeername, connected, P(out(128)), P(length(128))); }
CASE(getpeername_none)   { struct sockaddr_in n; call(SYS_getpeername, bound(SOCK_STREAM, &n), P(out(128)), P(length(128))); fails_with(107); }
CASE(recvfrom)           { call(SYS_recvfrom, addressed("hello"), P(out(64)), 64, 0, P(out(128)), P(length(128))); }
CASE(recvfrom_cut)       { call(SYS_recvfrom, addressed("hello"), P(out(2)), 2, MSG_TRUNC, P(out(6)), P(length(6))); }
CASE(recvfrom_nameless)  { call(SYS_recvfrom, addressed("hello"), P(out(64)), 64, 0, 0, 0); }
CASE(recvfrom_empty)     { sockets(SOCK_DGRAM); call(SYS_recvfrom, pair[0], P(out(64)), 64, MSG_DONTWAIT, P(out(128)), P(length(128))); fails_with(11); }

CASE(recvfrom_unix)
{
    sockets(SOCK_STREAM);
    need(write(pair[1], "abc", 3) == 3);
    call(SYS_recvfrom, pair[0], P(out(64)), 64, 0, P(out(128)), P(length(128)));
}

CASE(recv_peek)
{
    sockets(SOCK_STREAM);
    need(write(pair[1], "abc", 3) == 3);
    call(SYS_recvfrom, pair[0], P(out(64)), 64, MSG_PEEK, 0, 0);
}

CASE(recv_error)
{
    struct sockaddr_in name;
    int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
    close(bound(SOCK_DGRAM, &name));
    need(setsockopt(fd, SOL_IP, IP_RECVERR, &on, sizeof on) == 0);
    need(connect(fd, (void *)&name, sizeof name) == 0 && write(fd, "x", 1) == 1);
    struct iovec v = {out(16), 16};
    struct msghdr m = {.msg_name = out(128), .msg_namelen = 128, .msg_iov = in(&v, sizeof v),
                       .msg_iovlen = 1, .msg_control = out(256), .msg_controllen = 256};
    call(SYS_recvmsg, fd, P(in(&m, sizeof m)), MSG_ERRQUEUE | MSG_DONTWAIT);
}

/* Messages */

static struct msghdr *message(size_t name, size_t control, size_t first, size_t second)
{
    struct iovec v[2] = {{out(first), first}, {out(second), second}};
    struct msghdr m = {.msg_name = name ? out(name) : NULL, .msg_namelen = (socklen_t)name,
                       .msg_iov = in(v, sizeof v), .msg_iovlen = 2,
                       .msg_control = control ? out(control) : NULL, .msg_controllen = control};
    return in(&m, sizeof m);
}

static void send_descriptors(int fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {.header = {CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    int fds[2] = {0, 1};
    memcpy(CMSG_DATA(&control.header), fds, sizeof fds);
    struct iovec v = {"hello", 5};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control,
                       .msg_controllen = sizeof control.bytes};
    need(sendmsg(fd, &m, 0) == 5);
}

static int wanting(int option)
{
    int on = 1;
    sockets(SOCK_DGRAM);
    need(setsockopt(pair[0], SOL_SOCKET, option, &on, sizeof on) == 0);
    need(write(pair[1], "hello", 5) == 5);
    return pair[0];
}

CASE(recvmsg)            { call(SYS_recvmsg, addressed("hello"), P(message(128, 128, 3, 64)), 0); }
CASE(recvmsg_cut)        { call(SYS_recvmsg, addressed("hello"), P(message(6, 0, 1, 1)), 0); }
CASE(recvmsg_plain)      { call(SYS_recvmsg, addressed("hello"), P(message(0, 0, 3, 64)), 0); }
CASE(recvmsg_rights)     { send_descriptors(sockets(SOCK_STREAM)[1]); call(SYS_recvmsg, pair[0], P(message(0, 128, 3, 64)), 0); }
CASE(recvmsg_rights_cut) { send_descriptors(sockets(SOCK_STREAM)[1]); call(SYS_recvmsg, pair[0], P(message(0, 20, 3, 64)), 0); }
CASE(recvmsg_creds)      { call(SYS_recvmsg, wanting(SO_PASSCRED), P(message(0, 128, 3, 64)), 0); }
CASE(recvmsg_stamp)      { call(SYS_recvmsg, wanting(SO_TIMESTAMP), P(message(0, 128, 3, 64)), 0); }
CASE(recvmsg_end)        { sockets(SOCK_STREAM); close(pair[1]); call(SYS_recvmsg, pair[0], P(message(64, 64, 3, 4)), 0); }
CASE(recvmsg_none)       { sockets(SOCK_STREAM); call(SYS_recvmsg, pair[0], P(message(64, 64, 3, 4)), MSG_DONTWAIT); fails_with(11); }

CASE(sendmsg)
{
    struct iovec v = {text("hello"), 5};
    struct msghdr m = {.msg_iov = in(&v, sizeof v), .msg_iovlen = 1};
    call(SYS_sendmsg, sockets(SOCK_STREAM)[0], P(in(&m, sizeof m)), 0);
}

static struct mmsghdr *messages(void)
{
    struct mmsghdr m[3];
    memset(m, 0x77, sizeof m); /* so that untouched lengths can be told */
    for (int i = 0; i < 3; i++)
        m[i].msg_hdr = *message(i ? 0 : 128, 64, 3, 64);
    return in(m, sizeof m);
}

CASE(recvmmsg)
{
    sockets(SOCK_DGRAM);
    need(write(pair[1], "hello", 5) == 5 && write(pair[1], "hi", 2) == 2);
    struct timespec limit = {1, 0};
    call(SYS_recvmmsg, pair[0], P(messages()), 3, MSG_DONTWAIT, P(in(&limit, sizeof limit)));
}

CASE(recvmmsg_names)     { call(SYS_recvmmsg, addressed("hello"), P(messages()), 3, MSG_DONTWAIT, 0); }
CASE(recvmmsg_none)      { call(SYS_recvmmsg, sockets(SOCK_DGRAM)[0], P(messages()), 3, MSG_DONTWAIT, 0); fails_with(11); }

CASE(sendmmsg)
{
    struct mmsghdr m[2];
    struct iovec v = {text("hello"), 5};
    memset(m, 0, sizeof m);
    m[0].msg_hdr.msg_iov = m[1].msg_hdr.msg_iov = in(&v, sizeof v);
    m[0].msg_hdr.msg_iovlen = m[1].msg_hdr.msg_iovlen = 1;
    call(SYS_sendmmsg, sockets(SOCK_DGRAM)[0], P(in(m, sizeof m)), 2, 0);
}

/* Options */

static void option(int fd, int level, int name, uint32_t room)
{
    call(SYS_getsockopt, fd, level, name, P(out(room ? room : 1)), P(length(room)));
}

#define TCP (listening(), connected)
#define UNIX (sockets(SOCK_STREAM)[0])

CASE(so_error)           { option(UNIX, SOL_SOCKET, SO_ERROR, 4); }
CASE(so_type_roomy)      { option(UNIX, SOL_SOCKET, SO_TYPE, 64); }
CASE(so_type_cut)        { option(UNIX, SOL_SOCKET, SO_TYPE, 2); }
CASE(so_linger)          { option(TCP, SOL_SOCKET, SO_LINGER, 64); }
CASE(so_rcvtimeo)        { option(UNIX, SOL_SOCKET, SO_RCVTIMEO, 64); }
CASE(so_peercred)        { option(UNIX, SOL_SOCKET, SO_PEERCRED, 64); }
CASE(so_peergroups)      { option(UNIX, SOL_SOCKET, SO_PEERGROUPS, 1024); }
CASE(so_peersec)         { option(UNIX, SOL_SOCKET, SO_PEERSEC, 256); }
CASE(so_peersec_short)   { option(UNIX, SOL_SOCKET, SO_PEERSEC, 0); fails_with(34); }
CASE(so_peername)        { option(TCP, SOL_SOCKET, SO_PEERNAME, 16); }
CASE(so_meminfo)         { option(UNIX, SOL_SOCKET, SO_MEMINFO, 256); }
CASE(so_cookie)          { option(UNIX, SOL_SOCKET, SO_COOKIE, 8); }
CASE(so_netns)           { option(UNIX, SOL_SOCKET, SO_NETNS_COOKIE, 8); }
CASE(so_bindtodevice)    { option(TCP, SOL_SOCKET, SO_BINDTODEVICE, 64); }
CASE(so_unknown)         { option(UNIX, SOL_SOCKET, 9999, 64); fails_with(92); }
CASE(tcp_info)           { option(TCP, SOL_TCP, TCP_INFO, 512); }
CASE(tcp_info_cut)       { option(TCP, SOL_TCP, TCP_INFO, 50); }
CASE(tcp_congestion)     { option(TCP, SOL_TCP, TCP_CONGESTION, 64); }
CASE(tcp_maxseg)         { option(TCP, SOL_TCP, TCP_MAXSEG, 4); }
CASE(tcp_ulp)            { option(TCP, SOL_TCP, TCP_ULP, 64); }
CASE(ip_ttl_byte)        { option(TCP, SOL_IP, IP_TTL, 1); }
CASE(ip_options)         { option(TCP, SOL_IP, IP_OPTIONS, 64); }
CASE(ip_mtu)             { option(TCP, SOL_IP, IP_MTU, 4); }
CASE(ip_multicast_if)    { option(TCP, SOL_IP, IP_MULTICAST_IF, 64); }

CASE(so_filter)
{
    struct sock_filter code[2] = {{BPF_LD | BPF_IMM, 0, 0, 7}, {BPF_RET | BPF_K, 0, 0, 100}};
    struct sock_fprog program = {2, code};
    struct sockaddr_in name;
    int fd = bound(SOCK_DGRAM, &name);
    need(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0);
    call(SYS_getsockopt, fd, SOL_SOCKET, SO_GET_FILTER, P(out(256)), P(length(16)));
}

/* Netlink */

static int netlink(void)
{
    struct sockaddr_nl name = {.nl_family = AF_NETLINK};
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    need(fd >= 0 && bind(fd, (void *)&name, sizeof name) == 0);
    return fd;
}

static int asked(void)
{
    struct {
        struct nlmsghdr header;
        struct ifinfomsg info;
    } request = {{sizeof request, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, {0}};
    int fd = netlink();
    need(send(fd, &request, sizeof request, 0) == sizeof request);
    return fd;
}

CASE(netlink_recvmsg)    { call(SYS_recvmsg, asked(), P(message(64, 64, 16, 32768)), 0); }
CASE(netlink_recv)       { call(SYS_recvfrom, asked(), P(out(32768)), 32768, 0, P(out(64)), P(length(64))); }
CASE(netlink_groups)     { option(netlink(), SOL_NETLINK, 9, 64); }
CASE(netlink_groups_cut) { option(netlink(), SOL_NETLINK, 9, 0); }

/* Interfaces */

static struct ifreq *lo(void)
{
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    return in(&request, sizeof request);
}

#define INTERFACE(name, request)                                                                  \
    CASE(name) { call(SYS_ioctl, socket(AF_INET, SOCK_DGRAM, 0), request, P(lo())); }
INTERFACE(ioctl_ifflags, SIOCGIFFLAGS)
INTERFACE(ioctl_ifindex, SIOCGIFINDEX)
INTERFACE(ioctl_ifaddr, SIOCGIFADDR)
INTERFACE(ioctl_ifnetmask, SIOCGIFNETMASK)
INTERFACE(ioctl_ifmtu, SIOCGIFMTU)
INTERFACE(ioctl_ifhwaddr, SIOCGIFHWADDR)
INTERFACE(ioctl_iftxqlen, SIOCGIFTXQLEN)
INTERFACE(ioctl_ifmap, SIOCGIFMAP)

CASE(ioctl_ifname)
{
    struct ifreq request = {.ifr_ifindex = 1};
    call(SYS_ioctl, socket(AF_INET, SOCK_DGRAM, 0), SIOCGIFNAME, P(in(&request, sizeof request)));
}

static void interface_list(size_t room)
{
    struct ifconf list = {.ifc_len = (int)room, .ifc_buf = room ? out(room) : NULL};
    call(SYS_ioctl, socket(AF_INET, SOCK_DGRAM, 0), SIOCGIFCONF, P(in(&list, sizeof list)));
}

CASE(ioctl_ifconf)       { interface_list(1024); }
CASE(ioctl_ifconf_asks)  { interface_list(0); }

CASE(ioctl_ethtool)
{
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    uint32_t command[64] = {3}; /* ETHTOOL_GDRVINFO */
    request.ifr_data = in(command, sizeof command);
    call(SYS_ioctl, socket(AF_INET, SOCK_DGRAM, 0), 0x8946, P(in(&request, sizeof request)));
}

CASE(ioctl_atmark)       { call(SYS_ioctl, TCP, SIOCATMARK, P(out(64))); }
CASE(ioctl_getown)       { call(SYS_ioctl, TCP, FIOGETOWN, P(out(64))); }
CASE(ioctl_inq)          { call(SYS_ioctl, TCP, FIONREAD, P(out(64))); }
CASE(ioctl_sock_outq)    { call(SYS_ioctl, TCP, TIOCOUTQ, P(out(64))); }
CASE(ioctl_outqnsd)      { call(SYS_ioctl, TCP, 0x894b, P(out(64))); }
