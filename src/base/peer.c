/* Finds the user at the other end of a connection: see the header.
 *
 * For a socket in the file system, the kernel tells. For a TCP connection within this machine, the
 * other end is a row of /proc/net/tcp or tcp6: its local address is our remote one, and its remote
 * address our local one. Only established connections have an owner there; rows of closing ones
 * have 0.
 */
#include "base/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* An address of either family in the form of IPv6: 127.0.0.1 is ::ffff:127.0.0.1. */
struct peer_end {
    u32 word[4]; /* in memory order */
    u16 port;
};

static struct peer_end end_of_four(u32 address, u16 port)
{
    return (struct peer_end){{0, 0, htonl(0xffff), address}, port};
}

static bool peer_end_read(const struct sockaddr_storage *from, struct peer_end *ret)
{
    if (from->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)from;
        *ret = end_of_four(in->sin_addr.s_addr, ntohs(in->sin_port));
        return true;
    }
    const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)from;
    memcpy(ret->word, &in->sin6_addr, sizeof ret->word);
    ret->port = ntohs(in->sin6_port);
    return from->ss_family == AF_INET6;
}

static bool peer_end_same(const struct peer_end *a, const struct peer_end *b)
{
    return memcmp(a->word, b->word, sizeof a->word) == 0 && a->port == b->port;
}

/* Parses ADDRESS:PORT, the address in words of eight digits. */
static bool peer_end_parse(const char *text, struct peer_end *ret)
{
    u32 word[4];
    unsigned port;
    if (sscanf(text, "%8x%8x%8x%8x:%4x", &word[0], &word[1], &word[2], &word[3], &port) == 5) {
        memcpy(ret->word, word, sizeof word);
        ret->port = (u16)port;
        return true;
    }
    if (sscanf(text, "%8x:%4x", &word[0], &port) != 2)
        return false;
    *ret = end_of_four(word[0], (u16)port);
    return true;
}

static bool find_row(const char *table, const struct peer_end *theirs, const struct peer_end *ours,
                     u32 *ret)
{
    enum { STANDS = 1, WE_ARE_CLOSING = 8 };
    char line[512], local[64], remote[64];
    bool found = false;
    FILE *rows = fopen(table, "re");
    while (rows && !found && fgets(line, sizeof line, rows)) {
        struct peer_end a, b;
        unsigned state, user;
        found = sscanf(line, " %*[0-9]: %63s %63s %x %*s %*s %*s %u", local, remote, &state,
                       &user) == 4 &&
                (state == STANDS || state == WE_ARE_CLOSING) && peer_end_parse(local, &a) &&
                peer_end_parse(remote, &b) && peer_end_same(&a, theirs) && peer_end_same(&b, ours);
        if (found)
            *ret = user;
    }
    if (rows)
        fclose(rows);
    return found;
}

static bool user_of_connection(int fd, u32 *ret)
{
    struct sockaddr_storage here, there;
    struct peer_end ours, theirs;
    socklen_t here_size = sizeof here, there_size = sizeof there;
    if (getsockname(fd, (struct sockaddr *)&here, &here_size) < 0 ||
        getpeername(fd, (struct sockaddr *)&there, &there_size) < 0 ||
        !peer_end_read(&here, &ours) || !peer_end_read(&there, &theirs))
        return false;
    return find_row("/proc/net/tcp", &theirs, &ours, ret) ||
           find_row("/proc/net/tcp6", &theirs, &ours, ret);
}

bool peer_user(int fd, u32 *ret)
{
    struct ucred who;
    socklen_t size = sizeof who;
    int domain = 0;
    socklen_t domain_size = sizeof domain;
    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size);
    if (domain != AF_UNIX)
        return user_of_connection(fd, ret);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
        return false;
    *ret = who.uid;
    return true;
}
