/* ebb serve: a recording, for any client that speaks the GDB remote serial protocol.
 *
 * The recording is opened before anybody can connect, so that what is wrong with it is said
 * here.  One client is served; when it leaves, or is gone, the server ends and every process of
 * the session with it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "front/gdb/gdb.h"
#include "front/gdb/link.h"
#include "front/gdb/listener.h"
#include "front/gdb/recording_choice.h"
#include "log/channel.h"

struct serve_options {
    struct recording_choice choice;
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

static int serve_read_option(struct serve_options *o, int argc, char **argv, int *at)
{
    bool missing;
    const char *value = recording_choice_value("--port", argc, argv, at, &missing);
    if (missing)
        return complain(CHANNEL_EXIT_USAGE, "--port needs a number");
    if (value)
        return read_port(o, value);
    value = recording_choice_value("--unix", argc, argv, at, &missing);
    if (missing || (value && !*value))
        return complain(CHANNEL_EXIT_USAGE, "--unix needs the name of a socket");
    if (value) {
        o->path = value;
        return 0;
    }
    if (strcmp(argv[*at], "--stdio") == 0) {
        o->stdio = true;
        return 0;
    }
    return recording_choice_read(&o->choice, "serve", argc, argv, at);
}

/* A client that has started us sends at once, and again if it hears nothing: so it is listened
 * to before the recording is open.  What the session or its engines print must not get between
 * packets. */
static struct error *link_stdio(struct client_link **ret)
{
    int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    if (in < 0 || out < 0)
        return error_new("--stdio needs standard input and output");
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
        err = recording_choice_open(&o->choice, &rec, &r);
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

int gdb_serve(int argc, char **argv)
{
    struct serve_options o = {0};
    for (int i = 1; i < argc; i++) {
        int status = serve_read_option(&o, argc, argv, &i);
        if (status)
            return status;
    }
    if (o.stdio + o.has_port + (o.path != NULL) > 1)
        return complain(CHANNEL_EXIT_USAGE, "serve takes one of --port, --unix and --stdio");
    signal(SIGPIPE, SIG_IGN);
    struct error *err = serve(&o);
    return err ? error_complain(err, 1) : 0;
}

void gdb_serve_explain(void)
{
    printf("\n"
           "RECORDING is a name that 'ebb ls' shows, or a directory; without it, the latest.\n"
           "\n"
           "  --unix PATH  a socket of the file system, for its owner alone; without any of these,\n"
           "               one with a name of its own\n"
           "  --port N     a port of the loopback interface (0: any that is free), for clients that\n"
           "               cannot use a file; other users of the machine are refused\n"
           "  --stdio      standard input and output, for a client that starts the server itself:\n"
           "               target extended-remote | ebb serve --stdio RECORDING\n"
           "  --track N    that process image; else the first that dumped core, or, if none did,\n"
           "               what the first process was at its end; see 'ebb info'\n"
           "  --start      begin at the start of the run instead of its end\n"
           "\n"
           "A line tells how to connect. One client is served, and when it leaves the server ends.\n"
           "In gdb, 'monitor help' lists what is there besides gdb's own commands.\n");
}
