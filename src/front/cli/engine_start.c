/* Starting an engine: see the header, and log/channel.h for what it is told. */
#include "front/cli/engine_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "log/channel.h"

int engine_become(const struct engine_start *start)
{
    char **args = xalloc((CHANNEL_ARG_ARGV0 + (size_t)start->argc + 1) * sizeof *args);
    args[0] = CHANNEL_ENGINE_NAME;
    args[CHANNEL_ARG_SETTINGS] = (char *)start->settings;
    args[CHANNEL_ARG_PATH] = start->program;
    memcpy(args + CHANNEL_ARG_ARGV0, start->argv, (size_t)start->argc * sizeof *args);
    args[CHANNEL_ARG_ARGV0 + start->argc] = NULL;
    execv(start->engine, args);
    int error = errno;
    free(args);
    return complain(CHANNEL_EXIT_OURS, "cannot start %s: %s", start->engine, strerror(error));
}

/* What ebb changes for itself and a child gets back. */
static const struct {
    int signal;
    void (*action)(int);
} ours[] = {
    {SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGPIPE, SIG_IGN}, {SIGXFSZ, SIG_IGN},
    {SIGCHLD, SIG_DFL},
};

/* How it was before the first engine. */
static struct {
    bool taken;
    sigset_t mask;
    struct sigaction actions[countof(ours)];
} before;

static void take_signals(void)
{
    sigset_t mask;
    if (before.taken)
        return;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_BLOCK, &mask, &before.mask);
    for (size_t i = 0; i < countof(ours); i++)
        sigaction(ours[i].signal, &(struct sigaction){.sa_handler = ours[i].action},
                  &before.actions[i]);
    before.taken = true;
}

static void give_signals_back(void)
{
    for (size_t i = 0; i < countof(ours); i++)
        sigaction(ours[i].signal, &before.actions[i], NULL);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
}

static _Noreturn void run_child(struct engine_start start, const char *name, int socket)
{
    give_signals_back();
    const char *comma = *start.settings ? "," : "";
    start.settings = xformat("%s%s%s=%d", start.settings, comma, name, socket);
    fcntl(socket, F_SETFD, 0);
    _exit(engine_become(&start));
}

int engine_spawn(const struct engine_start *start, const char *name, pid_t *ret, int *ret_socket)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return complain(CHANNEL_EXIT_OURS, "cannot make a socket: %s", strerror(errno));
    take_signals();
    pid_t pid = fork();
    if (pid == 0)
        run_child(*start, name, ends[1]);
    int error = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return complain(CHANNEL_EXIT_OURS, "cannot start a process: %s", strerror(error));
    }
    *ret = pid;
    *ret_socket = ends[0];
    return 0;
}

int engine_exit_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
