/* Accepts connections of clients: see the header.
 *
 * A port of the loopback interface is open to every user of the machine, so the user of each client
 * is checked (peer.c). A socket in the file system is in a directory that only its owner can enter;
 * it is removed even if a signal ends ebb.
 */
#include "base/listener.h"

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

#include "base/complain.h"
#include "base/xalloc.h"
#include "base/peer.h"

enum { PATH_ROOM = sizeof(((struct sockaddr_un *)0)->sun_path) };

/* For the signal handler: the file to remove, and its directory if ebb made it ("": none). */
static char file_to_remove[PATH_ROOM], directory_to_remove[PATH_ROOM];

static void remove_and_die(int signal_number)
{
    unlink(file_to_remove);
    if (*directory_to_remove)
        rmdir(directory_to_remove);
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
        return error_coded(ERROR_MISUSED, "the name of a socket has 1 to %zu bytes",
                           sizeof at.sun_path - 1);
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

/* Returns $XDG_RUNTIME_DIR, if it is private to the user. */
static const char *session_directory(void)
{
    const char *ret = getenv("XDG_RUNTIME_DIR");
    struct stat st;
    bool good = ret && ret[0] == '/' && strlen(ret) < PATH_ROOM - 32 && stat(ret, &st) == 0 &&
                S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077);
    return good ? ret : NULL;
}

static struct error *open_in_own_directory(struct listener *ret)
{
    const char *root = getenv("TMPDIR");
    char *directory = xformat("%s/ebb-serve.XXXXXX", root && *root ? root : "/tmp");
    if (strlen(directory) >= PATH_ROOM || !mkdtemp(directory)) {
        struct error *err = error_errno(errno, "making the directory %s", directory);
        free(directory);
        return err;
    }
    char *path = xformat("%s/socket", directory);
    strcpy(directory_to_remove, directory);
    struct error *err = listener_open_file(path, ret);
    if (err)
        rmdir(directory);
    free(path);
    free(directory);
    return err;
}

struct error *listener_open_private(struct listener *ret)
{
    const char *directory = session_directory();
    if (!directory)
        return open_in_own_directory(ret);
    char *path = xformat("%s/ebb-serve.%d", directory, (int)getpid());
    unlink(path); /* left by a killed server with the same pid */
    struct error *err = listener_open_file(path, ret);
    free(path);
    return err;
}

void listener_close(struct listener *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->path)
        unlink(l->path);
    if (l->path && *directory_to_remove)
        rmdir(directory_to_remove);
    free(l->path);
    *l = (struct listener){.fd = -1};
}

/* Small packets must be sent without delay. */
static int prepare_client(int fd, bool is_port)
{
    int one = 1;
    if (is_port)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

/* A port is open to every user of the machine, so the client's user is checked. Others are refused,
 * and the owner is told; the next client may be the right one. */
static bool is_admitted(int fd)
{
    u32 user;
    bool known = peer_user(fd, &user);
    if (known && user == geteuid())
        return true;
    if (known)
        complain(0, "refused a client of user %u: only user %u may connect", user, geteuid());
    else
        complain(0, "refused a client: its user is not known");
    return false;
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
        if (fd >= 0 && is_admitted(fd)) {
            *ret = prepare_client(fd, !l->path);
            return NULL;
        }
        if (fd < 0 && fds[0].revents && errno != EINTR && errno != ECONNABORTED)
            return error_errno(errno, "accepting a client");
        if (fd >= 0)
            close(fd);
    }
}
