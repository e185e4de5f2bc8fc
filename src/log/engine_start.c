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
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/types.h"
#include "base/xalloc.h"
#include "log/channel.h"
#include "log/kept_translations.h"

/* What ebb changes for itself and restores in a child. */
static const struct {
    int signal;
    void (*action)(int);
} ours[] = {
    {SIGINT, SIG_IGN},  {SIGQUIT, SIG_IGN}, {SIGPIPE, SIG_IGN},   {SIGXFSZ, SIG_IGN},
    {SIGUSR1, SIG_IGN}, {SIGUSR2, SIG_IGN}, {SIGALRM, SIG_IGN},   {SIGVTALRM, SIG_IGN},
    {SIGPROF, SIG_IGN}, {SIGIO, SIG_IGN},   {SIGSTKFLT, SIG_IGN}, {SIGPWR, SIG_IGN},
    {SIGCHLD, SIG_DFL},
};

/* Limits that ebb changes for itself. A limit below `enough` is raised to that, or as far as
 * possible; an engine needs at least `needed`. The engine enforces memory limits for its program
 * itself, and gets them by a setting. */
static const struct {
    int resource;
    rlim_t enough, needed;
    const char *setting; /* NULL: the kernel's limit is restored for the program */
    const char *name, *option;
    rlim_t unit;
} limits[] = {
    {RLIMIT_FSIZE,  RLIM_INFINITY, 0,         NULL,         NULL,             NULL, 1},
    {RLIMIT_NOFILE, RLIM_INFINITY, 20,        NULL,         "open files",     "-n", 1},
    {RLIMIT_STACK,  8 << 20,       64 << 10,  NULL,         "the stack",      "-s", 1024},
    {RLIMIT_CPU,    RLIM_INFINITY, 0,         NULL,         NULL,             NULL, 1},
    {RLIMIT_AS,     RLIM_INFINITY, 512 << 20, "limitspace", "virtual memory", "-v", 1024},
    {RLIMIT_DATA,   RLIM_INFINITY, 512 << 20, "limitdata",  "data memory",    "-d", 1024},
};

/* The state before ebb changed anything. */
static struct {
    bool taken, limits_taken;
    sigset_t mask;
    struct sigaction actions[countof(ours)];
    struct rlimit limits[countof(limits)];
    rlim_t reached[countof(limits)];
} before;

/* Raises a limit as far as wanted, beyond the hard limit if that is permitted; returns the new
 * limit. */
static rlim_t raise_limit(int resource, rlim_t wanted, const struct rlimit *old)
{
    rlim_t most = wanted < old->rlim_max ? wanted : old->rlim_max;
    if (old->rlim_cur >= wanted)
        return old->rlim_cur;
    if (old->rlim_max < wanted && setrlimit(resource, &(struct rlimit){wanted, wanted}) == 0)
        return wanted;
    setrlimit(resource, &(struct rlimit){most, old->rlim_max});
    return most;
}

void engine_take_limits(void)
{
    for (size_t i = 0; i < countof(limits); i++) {
        struct rlimit *old = &before.limits[i];
        if (getrlimit(limits[i].resource, old) < 0)
            *old = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
        before.reached[i] = raise_limit(limits[i].resource, limits[i].enough, old);
    }
    before.limits_taken = true;
}

struct error *engine_check_limits(void)
{
    for (size_t i = 0; i < countof(limits) && before.limits_taken; i++)
        if (before.reached[i] < limits[i].needed)
            return error_new("the limit on %s (ulimit %s) is %llu, and ebb needs %llu",
                             limits[i].name, limits[i].option,
                             (unsigned long long)(before.reached[i] / limits[i].unit),
                             (unsigned long long)(limits[i].needed / limits[i].unit));
    return NULL;
}

void engine_return_limits(void)
{
    for (size_t i = 0; i < countof(limits) && before.limits_taken; i++)
        setrlimit(limits[i].resource, &before.limits[i]);
}

static void tell_limit(struct engine_start *start, const char *setting, const char *which,
                       rlim_t limit)
{
    const char *comma = *start->settings ? "," : "";
    if (limit != RLIM_INFINITY)
        start->settings = xformat("%s%s%s%s=%llu", start->settings, comma, setting, which,
                                  (unsigned long long)limit + 1);
}

/* Restores the limits, in a process that becomes the engine of a program. */
static void give_limits_back(struct engine_start *start)
{
    for (size_t i = 0; i < countof(limits) && before.limits_taken; i++) {
        const struct rlimit *old = &before.limits[i];
        if (limits[i].setting) {
            tell_limit(start, limits[i].setting, "", old->rlim_cur);
            tell_limit(start, limits[i].setting, "most", old->rlim_max);
        } else {
            setrlimit(limits[i].resource, old);
        }
    }
}

/* Unless the user has chosen a folder with the setting. */
static char *with_translations(const char *settings)
{
    char *kept = strstr(settings, "kept=") ? NULL : kept_translations_settings();
    const char *comma = kept && *settings ? "," : "";
    char *ret = xformat("%s%s%s", settings, comma, kept ? kept : "");
    free(kept);
    return ret;
}

static struct error *engine_start_exec(const struct engine_start *start)
{
    char *settings = with_translations(start->settings);
    char **args = xalloc((CHANNEL_ARG_ARGV0 + (size_t)start->argc + 1) * sizeof *args);
    args[0] = CHANNEL_ENGINE_NAME;
    args[CHANNEL_ARG_SETTINGS] = settings;
    args[CHANNEL_ARG_PATH] = start->program;
    memcpy(args + CHANNEL_ARG_ARGV0, start->argv, (size_t)start->argc * sizeof *args);
    args[CHANNEL_ARG_ARGV0 + start->argc] = NULL;
    execv(start->engine, args);
    int error = errno;
    free(args);
    free(settings);
    return error_errno(error, "cannot start %s", start->engine);
}

struct error *engine_become(const struct engine_start *start)
{
    struct engine_start own = *start;
    give_limits_back(&own);
    return engine_start_exec(&own);
}

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
    if (strcmp(name, "record") == 0)
        give_limits_back(&start);
    _exit(error_complain(engine_start_exec(&start), CHANNEL_EXIT_OURS));
}

/* Starts a child; `prepare` is called in it. */
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
        return error_errno(error, "cannot start a process%s",
                           error == EAGAIN ? " (is ulimit -u too low?)" : "");
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

/* Signals that ebb blocks or ignores are not blocked or ignored in the child. */
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
