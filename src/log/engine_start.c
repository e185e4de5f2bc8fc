/* Starting an engine: see the header, and log/channel.h for its settings and first messages.
 *
 * The engine's command line has the settings, then the program's path and arguments. The engine
 * either replaces ebb (exec), or runs beside it, or apart from it in the background.
 */
#include "log/engine_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/types.h"
#include "base/xalloc.h"
#include "log/channel.h"

struct error *engine_become(const struct engine_start *start)
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
    return error_errno(error, "cannot start %s", start->engine);
}

/* What ebb changes for itself and a child gets back. */
static const struct {
    int signal;
    void (*action)(int);
} ours[] = {
    {SIGINT, SIG_IGN},  {SIGQUIT, SIG_IGN}, {SIGPIPE, SIG_IGN},   {SIGXFSZ, SIG_IGN},
    {SIGUSR1, SIG_IGN}, {SIGUSR2, SIG_IGN}, {SIGALRM, SIG_IGN},   {SIGVTALRM, SIG_IGN},
    {SIGPROF, SIG_IGN}, {SIGIO, SIG_IGN},   {SIGSTKFLT, SIG_IGN}, {SIGPWR, SIG_IGN},
    {SIGCHLD, SIG_DFL},
};

/* How it was before the first engine. */
static struct {
    bool taken;
    sigset_t mask;
    struct sigaction actions[countof(ours)];
} before;

void engine_take_signals(void)
{
    sigset_t mask;
    if (before.taken)
        return;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigaddset(&mask, SIGCONT);
    sigprocmask(SIG_BLOCK, &mask, &before.mask);
    for (size_t i = 0; i < countof(ours); i++)
        sigaction(ours[i].signal, &(struct sigaction){.sa_handler = ours[i].action},
                  &before.actions[i]);
    before.taken = true;
}

static void give_signals_back(int unused, int unused_too)
{
    (void)unused;
    (void)unused_too;
    for (size_t i = 0; i < countof(ours); i++)
        sigaction(ours[i].signal, &before.actions[i], NULL);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
}

static _Noreturn void become_with_socket(struct engine_start start, const char *name, int socket)
{
    const char *comma = *start.settings ? "," : "";
    start.settings = xformat("%s%s%s=%d", start.settings, comma, name, socket);
    fcntl(socket, F_SETFD, 0);
    _exit(error_complain(engine_become(&start), CHANNEL_EXIT_OURS));
}

/* `prepare` is called in the child. */
static struct error *engine_start_spawn(const struct engine_start *start, const char *name,
                                        void (*prepare)(int output, int errors), int errors,
                                        pid_t *ret, int *ret_socket)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return error_errno(errno, "cannot make a socket");
    pid_t pid = fork();
    if (pid == 0) {
        prepare(start->output, errors);
        become_with_socket(*start, name, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return error_errno(error, "cannot start a process");
    }
    *ret = pid;
    *ret_socket = ends[0];
    return NULL;
}

struct error *engine_spawn(const struct engine_start *start, const char *name, pid_t *ret,
                           int *ret_socket)
{
    engine_take_signals();
    return engine_start_spawn(start, name, give_signals_back, -1, ret, ret_socket);
}

/* No signal that ebb blocks or ignores for itself is blocked or ignored in there. */
static void stand_apart(int output, int errors)
{
    sigset_t none;
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 2; fd++)
        dup2(null, fd);
    if (output)
        dup2(output, 1);
    dup2(errors, 2);
}

struct error *engine_spawn_apart(const struct engine_start *start, int errors, pid_t *ret,
                                 int *ret_socket)
{
    return engine_start_spawn(start, "replay", stand_apart, errors, ret, ret_socket);
}

void engine_end_likewise(int wait_status)
{
    if (!WIFSIGNALED(wait_status) || WTERMSIG(wait_status) != SIGINT)
        return;
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(SIGINT);
}

int engine_exit_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
