/* ebb gdb: the user's own gdb, on a recording.
 *
 *     ebb gdb ---+--- the server: opens the recording, listens in a directory of its own
 *                +--- gdb: connects there
 *
 * The server is in its own terminal session, so that Ctrl-C at the terminal reaches only gdb, which
 * passes it on. The server ends when a pipe that this process holds is closed, so it cannot outlive
 * this process. gdb may disconnect and connect again any number of times.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/xalloc.h"
#include "command/recording_choice.h"
#include "debug/debug.h"
#include "front/gdb/gdb.h"
#include "front/gdb/link.h"
#include "base/listener.h"
#include "front/gdb/packed_sources.h"
#include "front/gdb/python_file.h"
#include "front/gdb/opening.h"
#include "log/channel.h"
#include "log/engine_start.h"

struct gdb_files {
    char *directory, *socket, *script; /* for the connection; removed at the end */
    char *sources;                     /* sources of a packed recording; ebb.py looks for it */
};

static bool write_script(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t size = (size_t)(python_file_end - python_file);
    if (fd < 0)
        return false;
    bool written = write(fd, python_file, size) == (ssize_t)size;
    return close(fd) == 0 && written;
}

static int place_make(struct gdb_files *p)
{
    const char *root = getenv("TMPDIR");
    p->directory = xformat("%s/ebb-gdb.XXXXXX", root && *root ? root : "/tmp");
    if (!mkdtemp(p->directory)) {
        complain(CHANNEL_EXIT_OURS, "cannot make %s: %s", p->directory, strerror(errno));
        return CHANNEL_EXIT_OURS;
    }
    p->socket = xformat("%s/socket", p->directory);
    p->script = xformat("%s/ebb.py", p->directory);
    p->sources = xformat("%s/sources", p->directory);
    if (!write_script(p->script)) {
        complain(CHANNEL_EXIT_OURS, "cannot write %s: %s", p->script, strerror(errno));
        unlink(p->script);
        rmdir(p->directory);
        return CHANNEL_EXIT_OURS;
    }
    return 0;
}

/* Removes the files. The server does it too, since it may end last. */
static void place_empty(const struct gdb_files *p)
{
    packed_sources_remove(p->sources);
    unlink(p->script);
    rmdir(p->directory);
}

static void place_remove(struct gdb_files *p)
{
    unlink(p->socket);
    place_empty(p);
    free(p->sources);
    free(p->directory);
    free(p->socket);
    free(p->script);
}

/* The server. */

static struct error *serve_on(struct rsp *r, const struct listener *l, int lifeline)
{
    for (;;) {
        struct client_link *link;
        int client;
        struct error *err = listener_accept(l, lifeline, &client);
        if (err || client < 0)
            return err;
        err = link_open(client, client, &link);
        if (err)
            return err;
        rsp_serve(r, link);
    }
}

static void on_interrupt(int number)
{
    (void)number;
    debug_interrupt();
}

/* `ready` gets a byte when a client can connect; it is closed without one after an error. */
static int run_server(const struct opening *choice, const struct gdb_files *p, int ready,
                      int lifeline)
{
    struct recording *rec;
    struct rsp *r;
    struct listener l;
    struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &interrupt, NULL);
    signal(SIGPIPE, SIG_IGN);
    struct error *err = opening_open(choice, &rec, &r);
    if (err)
        return error_complain(err, 1);
    packed_sources_unpack(rec, p->sources);
    err = listener_open_file(p->socket, &l);
    if (!err) {
        ssize_t told = write(ready, "r", 1);
        close(ready);
        err = told < 0 ? NULL : serve_on(r, &l, lifeline);
        listener_close(&l);
    }
    place_empty(p);
    rsp_destroy(r);
    recording_destroy(rec);
    return err ? error_complain(err, 1) : 0;
}

struct server {
    pid_t pid;
    int lifeline;
};

/* The server has its own terminal session, so that Ctrl-C in gdb does not end it. A Ctrl-C that
 * comes while the recording is opened is passed on. */
static volatile pid_t server_opening;

static void hand_on(int number)
{
    if (server_opening)
        kill(server_opening, number);
}

static bool wait_ready(int ready)
{
    char byte;
    ssize_t size;
    while ((size = read(ready, &byte, 1)) < 0 && errno == EINTR)
        ;
    close(ready);
    return size == 1;
}

/* Returns 0, or the exit status after an error that the server has reported. */
static int server_start(const struct opening *choice, const struct gdb_files *p,
                        struct server *ret)
{
    int ready[2], lifeline[2], status;
    if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(lifeline, O_CLOEXEC) < 0)
        return complain(CHANNEL_EXIT_OURS, "cannot make a pipe: %s", strerror(errno));
    struct sigaction interrupt = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &interrupt, NULL);
    ret->pid = fork();
    if (ret->pid < 0)
        return complain(CHANNEL_EXIT_OURS, "cannot start a process: %s", strerror(errno));
    if (ret->pid == 0) {
        setsid();
        close(ready[0]);
        close(lifeline[1]);
        exit(run_server(choice, p, ready[1], lifeline[0]));
    }
    close(ready[1]);
    close(lifeline[0]);
    ret->lifeline = lifeline[1];
    server_opening = ret->pid;
    bool is_ready = wait_ready(ready[0]);
    server_opening = 0;
    if (is_ready)
        return 0;
    waitpid(ret->pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : CHANNEL_EXIT_OURS;
}

static void server_stop(struct server *s)
{
    close(s->lifeline);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* gdb. */

static const char *gdb_name(void)
{
    const char *chosen = getenv("EBB_GDB");
    return chosen && *chosen ? chosen : "gdb";
}

static void exec_gdb(const struct gdb_files *p, int argc, char **argv)
{
    char *source = xformat("source %s", p->script);
    char *connect = xformat("ebb connect %s", p->socket);
    char **args = xalloc(((size_t)argc + 8) * sizeof *args);
    int count = 0;
    args[count++] = (char *)gdb_name();
    args[count++] = "-q";
    args[count++] = "-ex";
    args[count++] = source;
    args[count++] = "-ex";
    args[count++] = connect;
    for (int i = 0; i < argc; i++)
        args[count++] = argv[i];
    args[count] = NULL;
    engine_return_limits();
    execvp(args[0], args);
}

/* A pipe that exec closes tells whether the program could be executed. */
static int run_gdb(const struct gdb_files *p, int argc, char **argv)
{
    int failed[2], status = 0, why = 0;
    if (pipe2(failed, O_CLOEXEC) < 0)
        return complain(CHANNEL_EXIT_OURS, "cannot make a pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid < 0)
        return complain(CHANNEL_EXIT_OURS, "cannot start a process: %s", strerror(errno));
    if (pid == 0) {
        exec_gdb(p, argc, argv);
        why = errno;
        _exit(write(failed[1], &why, sizeof why) != sizeof why);
    }
    signal(SIGINT, SIG_IGN); /* Ctrl-C at the terminal is for gdb */
    signal(SIGQUIT, SIG_IGN);
    close(failed[1]);
    bool could_not = read(failed[0], &why, sizeof why) == sizeof why;
    close(failed[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (could_not)
        return complain(why == ENOENT ? CHANNEL_EXIT_NOT_FOUND : CHANNEL_EXIT_NOT_RUNNABLE,
                        "cannot start %s: %s; install gdb, or name one in EBB_GDB", gdb_name(),
                        strerror(why));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum { GDB_TRACK = 1, GDB_START };

static const struct command_option gdb_options[] = {
    TRACK_OPTION(GDB_TRACK),
    START_OPTION(GDB_START),
    {0},
};

static int gdb_take(void *context, int id, const char *value)
{
    struct opening *o = context;
    if (id == GDB_TRACK)
        return recording_choice_track(&o->track, value);
    o->at_start = true;
    return 0;
}

/* Returns where gdb's arguments begin: after the first "--". getopt does not tell. */
static int arguments_of_gdb(int argc, char **argv)
{
    int at = 1;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    return at;
}

static int gdb_command_run(const struct command *c, int argc, char **argv)
{
    struct opening opening = {0};
    int end = arguments_of_gdb(argc, argv), at;
    int status = command_read(c, end, argv, gdb_take, &opening, &at);
    if (!status)
        status = recording_choice_operands(&opening.track, c, end, argv, at);
    if (status)
        return status;
    end += end < argc; /* past -- */
    struct gdb_files p = {0};
    struct server s = {0};
    status = place_make(&p);
    if (status)
        return status;
    status = server_start(&opening, &p, &s);
    if (!status) {
        status = run_gdb(&p, argc - end, argv + end);
        server_stop(&s);
    }
    place_remove(&p);
    return status;
}

const struct command gdb_run = {
    .examples = {"ebb gdb", "ebb gdb myprogram-1 -- -x script.gdb"},
    .name = "gdb", .run = gdb_command_run, .operands = {"[RECORDING] [-- GDB-ARGUMENT...]"},
    .operand_kind = NAMES_RECORDING, .options = gdb_options,
    .summary = "go back and forth in a recording with gdb",
    .about = RECORDING_HELP
             "The arguments after -- are passed to gdb.\n",
    .after = "Every command that goes forward has a twin: reverse-step, reverse-next, "
             "reverse-continue, reverse-finish, reverse-stepi, reverse-nexti. Breakpoints, "
             "conditions and watchpoints work in both directions. 'ebb help' in gdb lists ebb's "
             "own commands. Nothing that you do changes the recording: assignments and calls "
             "happen in a copy, which the next movement drops.\n"
             "$EBB_GDB is the gdb to start; the default is the one in PATH. The exit status is "
             "that of gdb.\n",
};
