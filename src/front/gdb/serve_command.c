/* ebb serve: serves a recording to any client that speaks the GDB remote serial protocol.
 *
 * The recording is opened before a client can connect, so that its errors are printed here. One
 * client is served; when it leaves, the server ends with all processes of the session.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "command/recording_choice.h"
#include "front/gdb/gdb.h"
#include "front/gdb/link.h"
#include "base/listener.h"
#include "front/gdb/opening.h"
#include "log/channel.h"

struct serve_options {
    struct opening opening;
    bool stdio, has_port;
    u16 port;
    const char *path;
};

static int read_port(struct serve_options *o, const char *text)
{
    if (!*text || strlen(text) > 5 || text[strspn(text, "0123456789")] || atoi(text) > 65535)
        return complain(CHANNEL_EXIT_USAGE, "--port is a number up to 65535, not '%s'", text);
    o->port = (u16)atoi(text);
    o->has_port = true;
    return 0;
}

enum { SERVE_UNIX = 1, SERVE_PORT, SERVE_STDIO, SERVE_TRACK, SERVE_START };

static const struct command_option serve_option_table[] = {
    {.id = SERVE_UNIX, .name = "unix", .value = "PATH", .kind = NAMES_FILE,
     .help = "listen on a socket in the file system, which only its owner can use; this is the "
             "default, with a path of ebb's choice"},
    {.id = SERVE_PORT, .name = "port", .value = "N",
     .help = "listen on a port of the loopback interface (0: any free one), for clients that "
             "cannot use a file; other users of the machine are refused"},
    {.id = SERVE_STDIO, .name = "stdio",
     .help = "use standard input and output, for a client that starts the server itself: target "
             "extended-remote | ebb serve --stdio RECORDING"},
    TRACK_OPTION(SERVE_TRACK),
    START_OPTION(SERVE_START),
    {0},
};

static int serve_take(void *context, int id, const char *value)
{
    struct serve_options *o = context;
    switch (id) {
    case SERVE_UNIX:
        if (!*value)
            return complain(CHANNEL_EXIT_USAGE, "--unix needs the name of a socket");
        o->path = value;
        return 0;
    case SERVE_PORT:
        return read_port(o, value);
    case SERVE_STDIO:
        o->stdio = true;
        return 0;
    case SERVE_TRACK:
        return recording_choice_track(&o->opening.track, value);
    default:
        o->opening.at_start = true;
        return 0;
    }
}

/* A client that has started this server sends at once, and again if it gets no answer. So its
 * packets are read before the recording is open. Output of the session or its engines must not get
 * between packets. */
static struct error *link_stdio(struct client_link **ret)
{
    int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    if (in < 0 || out < 0)
        return error_coded(ERROR_UNAVAILABLE, "--stdio needs standard input and output");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return link_open(in, out, ret);
}

static struct error *link_socket(const struct serve_options *o, struct client_link **ret)
{
    struct listener l;
    int client;
    struct error *err = o->path       ? listener_open_file(o->path, &l)
                        : o->has_port ? listener_open_port(o->port, &l)
                                      : listener_open_private(&l);
    if (err)
        return err;
    if (l.path)
        printf("in gdb: target extended-remote %s\n", l.path);
    else
        printf("in gdb: target extended-remote localhost:%u\n", l.port);
    fflush(stdout);
    err = listener_accept(&l, -1, &client);
    listener_close(&l); /* one client */
    return err ? err : link_open(client, client, ret);
}

static struct error *serve(const struct serve_options *o)
{
    struct recording *rec;
    struct rsp *r;
    struct client_link *l = NULL;
    struct error *err = o->stdio ? link_stdio(&l) : NULL;
    if (!err)
        err = opening_open(&o->opening, &rec, &r);
    if (err) {
        link_close(l);
        return err;
    }
    if (!o->stdio)
        err = link_socket(o, &l);
    if (!err)
        rsp_serve(r, l);
    rsp_destroy(r);
    recording_destroy(rec);
    return err;
}

static int serve_run(const struct command *c, int argc, char **argv)
{
    struct serve_options o = {0};
    int at;
    int status = command_read(c, argc, argv, serve_take, &o, &at);
    if (!status)
        status = recording_choice_operands(&o.opening.track, c, argc, argv, at);
    if (status)
        return status;
    if (o.stdio + o.has_port + (o.path != NULL) > 1)
        return complain(CHANNEL_EXIT_USAGE, "serve takes one of --port, --unix and --stdio");
    signal(SIGPIPE, SIG_IGN);
    struct error *err = serve(&o);
    return err ? error_complain(err, 1) : 0;
}

const struct command gdb_serve = {
    .examples = {"ebb serve", "ebb serve --port 1234 myprogram-1"},
    .name = "serve", .run = serve_run, .operands = {"[RECORDING]"},
    .operand_kind = NAMES_RECORDING, .options = serve_option_table,
    .summary = "open a recording for gdb, LLDB or an editor",
    .about = RECORDING_HELP
             "Prints a line that tells how to connect. One client is served; the server ends when "
             "the client leaves.\n",
    .after = "In gdb, 'monitor help' lists ebb's own commands.\n",
};
