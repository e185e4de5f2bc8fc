/* ebb dap: the command line, and how the client is connected. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/listener.h"
#include "front/dap/dap.h"
#include "front/dap/dap_internal.h"
#include "log/channel.h"

enum { DAP_UNIX = 1 };

static const struct command_option dap_options[] = {
    {.id = DAP_UNIX,
     .name = "unix",
     .value = "PATH",
     .kind = NAMES_FILE,
     .help = "listen on a socket in the file system, which only its owner can use, and serve one "
             "client; the default is standard input and output"},
    {0},
};

static int dap_take(void *context, int id, const char *value)
{
    const char **path = context;
    (void)id;
    if (!*value)
        return complain(CHANNEL_EXIT_USAGE, "--unix needs the name of a socket");
    *path = value;
    return 0;
}

/* Output of the session or its engines must not get between messages. */
static struct error *dap_link_stdio(struct dap_wire **ret)
{
    int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
        out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || out < 0 || none < 0)
        return error_coded(ERROR_UNAVAILABLE, "ebb dap needs standard input and output");
    dup2(none, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close(none);
    return dap_wire_open(in, out, ret);
}

static struct error *dap_link_socket(const char *path, struct dap_wire **ret)
{
    struct listener l;
    int client;
    struct error *err = listener_open_file(path, &l);
    if (err)
        return err;
    printf("listening: %s\n", path);
    fflush(stdout);
    err = listener_accept(&l, -1, &client);
    listener_close(&l); /* one client */
    return err ? err : dap_wire_open(client, client, ret);
}

static int dap_run(const struct command *c, int argc, char **argv)
{
    const char *path = NULL;
    struct dap_wire *w;
    int at;
    int status = command_read(c, argc, argv, dap_take, &path, &at);
    if (status)
        return status;
    if (at < argc)
        return command_one_too_many(c, argv[at]);
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN);
    struct error *err = path ? dap_link_socket(path, &w) : dap_link_stdio(&w);
    if (err)
        return error_complain(err, 1);
    dap_serve_client(w);
    dap_wire_close(w);
    return 0;
}

const struct command dap_serve = {
    .name = "dap",
    .run = dap_run,
    .operands = {""},
    .operand_kind = NAMES_NOTHING,
    .options = dap_options,
    .summary = "serve an editor that speaks the Debug Adapter Protocol",
    .about =
        "Editors start this command themselves. It speaks the protocol on standard input and "
        "output. The request 'launch' says what to open: \"recording\", a name, a directory "
        "or a packed file; or \"program\" with \"args\", \"cwd\" and \"env\", which is recorded "
        "first.\n",
    .examples = {"ebb dap", "ebb dap --unix /tmp/ebb.sock"},
    .after =
        "docs/editors.md has recipes for several editors, docs/dap.md describes the requests.\n",
};
