/* ebb: the table of commands, and how a command line finds its row. */
#include <stdbool.h>
#include <string.h>

#include "base/complain.h"
#include "front/cli/cli.h"
#include "front/debugger/debugger.h"
#include "front/gdb/gdb.h"
#include "log/channel.h"

static int run_help(int argc, char **argv);
static int run_replay(int argc, char **argv);

static const struct cli_command commands[] = {
    {"exec", cli_exec,
     "exec [--stats] [--cpu=LEVEL] [--setting NAME=VALUE]... [--] PROGRAM [ARGUMENT]...",
     "run a program on the engine", cli_exec_explain},
    {"record", cli_record,
     "record [-o DIRECTORY] [--keep-if=failed] [--check=TICKS] [--cpu=LEVEL] [-q] [--] "
     "PROGRAM [ARGUMENT]...",
     "run a program and record everything that happens to it", cli_record_explain},
    {"replay", run_replay,
     "replay [--start] [--track N] [--tui] [-c COMMAND | -x FILE]... [--json] [RECORDING]\n"
     "       ebb replay --verify | --run [--track=N | --all] [RECORDING]",
     "go back and forth in a recording; or repeat it and check that nothing differs",
     debugger_replay_explain},
    {"gdb", gdb_run, "gdb [--start] [--track N] [RECORDING] [-- GDB-ARGUMENT...]",
     "go back and forth in a recording with gdb", gdb_run_explain},
    {"serve", gdb_serve,
     "serve [--port N | --unix PATH | --stdio] [--start] [--track N] [RECORDING]",
     "open a recording for gdb, LLDB or an editor", gdb_serve_explain},
    {"ls", cli_ls, "ls [--json]", "list the recordings", cli_ls_explain},
    {"info", cli_info, "info [--json] [RECORDING]", "say what is in a recording", cli_info_explain},
    {"dump", cli_dump, "dump [--json] [--track=N] [RECORDING]",
     "print the events of a recording", cli_dump_explain},
    {"pack", cli_pack, "pack [-o FILE.ebb] [-f] [-q] [RECORDING]",
     "put a recording and all that it needs into one file", cli_pack_explain},
    {"rm", cli_rm, "rm RECORDING...", "remove recordings", cli_rm_explain},
    {"help", run_help, "help [COMMAND]", "explain ebb, or one of its commands", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* A recording is repeated as a whole, or it is opened to be moved in. */
static int run_replay(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--verify") == 0 || strcmp(argv[i], "--run") == 0 ||
            strcmp(argv[i], "--all") == 0)
            return cli_replay(argc, argv);
    return debugger_replay(argc, argv);
}

static const struct cli_command *find_command(const char *name)
{
    for (const struct cli_command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static int unknown_command(const char *name)
{
    return complain(CHANNEL_EXIT_USAGE, "there is no command '%s'; 'ebb help' lists them", name);
}

static int run_help(int argc, char **argv)
{
    if (argc > 2)
        return complain(CHANNEL_EXIT_USAGE, "help explains one command at a time");
    if (argc < 2)
        return cli_help_all(commands);
    const struct cli_command *command = find_command(argv[1]);
    return command ? cli_help_one(command) : unknown_command(argv[1]);
}

/* Only as the first argument: what comes later may belong to the program that is to run. */
static bool asks_for_help(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return complain(CHANNEL_EXIT_USAGE, "no command was given; 'ebb help' lists them");
    const char *name = argv[1];
    if (asks_for_help(argc, argv))
        return cli_help_all(commands);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return cli_version();
    if (name[0] == '-')
        return complain(CHANNEL_EXIT_USAGE, "there is no option '%s'; see 'ebb help'", name);
    const struct cli_command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    if (asks_for_help(argc - 1, argv + 1))
        return cli_help_one(command);
    return command->run(argc - 1, argv + 1);
}
