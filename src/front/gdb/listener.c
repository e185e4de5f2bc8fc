/* Where a client connects: see the header. */
#include "front/gdb/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xalloc.h"

/* For the signal handler: the file to remove. */
static char file_to_remove[sizeof(((struct sockaddr_un *)0)->sun_path)];

static void remove_and_die(int signal_number)
{
    unlink(file_to_remove);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void remove_when_killed(const char *path)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    strcpy(file_to_remove, path);
    for (size_t i = 0; i < countof(deadly); i++) {
        struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = SA_NODEFER}, old;
        sigaction(deadly[i], NULL, &old);
        if (old.sa_handler != SIG_IGN)
            sigaction(deadly[i], &action, NULL);
    }
}

struct error *listener_open_port(u16 port, struct listener *ret)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)},
    };
    socklen_t size = sizeof at;
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno(errno, "making a socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&at, size) < 0 || listen(fd, 1) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) < 0) {
        struct error *err = error_errno(errno, "listening on port %u", port);
        close(fd);
        return err;
    }
    *ret = (struct listener){.fd = fd, .port = ntohs(at.sin_port)};
    return NULL;
}

struct error *listener_open_file(const char *path, struct listener *ret)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof at.sun_path)
        return error_new("the name of a socket has 1 to %zu bytes", sizeof at.sun_path - 1);
    strcpy(at.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno(errno, "making a socket");
    mode_t before = umask(0177);
    int failed = bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ? errno : 0;
    umask(before);
    if (!failed && listen(fd, 1) < 0) {
        failed = errno;
        unlink(path);
    }
    if (failed) {
        close(fd);
        return error_errno(failed, "making the socket %s", path);
    }
    *ret = (struct listener){.fd = fd, .path = xformat("%s", path)};
    remove_when_killed(path);
    return NULL;
}

void listener_close(struct listener *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->path)
        unlink(l->path);
    free(l->path);
    *l = (struct listener){.fd = -1};
}

/* Small packets must not wait for each other. */
static int prepare_client(int fd, bool is_port)
{
    int one = 1;
    if (is_port)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

struct error *listener_accept(const struct listener *l, int lifeline, int *ret)
{
    for (;;) {
        struct pollfd fds[2] = {{l->fd, POLLIN, 0}, {lifeline, POLLIN, 0}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return error_errno(errno, "waiting for a client");
        if (fds[1].revents) {
            *ret = -1;
            return NULL;
        }
        int fd = fds[0].revents ? accept4(l->fd, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd >= 0) {
            *ret = prepare_client(fd, !l->path);
            return NULL;
        }
        if (fds[0].revents && errno != EINTR && errno != ECONNABORTED)
            return error_errno(errno, "accepting a client");
    }
}
