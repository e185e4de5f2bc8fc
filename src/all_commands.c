/* ebb-commands: all commands of ebb, and how a command line finds its command.
 *
 * ebb itself (main.c) is a small program that runs those which start programs, and becomes this one
 * for all others.
 */
#include <string.h>
#include <sys/prctl.h>

#include "base/complain.h"
#include "command/command.h"
#include "command/replay_options.h"
#include "front/cli/cli.h"
#include "front/dap/dap.h"
#include "front/debugger/debugger.h"
#include "front/gdb/gdb.h"
#include "log/channel.h"

static const struct command replay, help;

static const struct command *const commands[] = {
    &cli_record, &replay, &debugger_ask, &gdb_run, &gdb_serve, &dap_serve, &cli_ls, &cli_info,
    &cli_dump, &cli_pack, &cli_trim, &cli_rm, &cli_gc, &cli_cache, &cli_exec, &help, NULL,
};

/* --- ebb replay: a recording is repeated as a whole, or it is opened to be moved in ----------- */

static int replay_run(const struct command *c, int argc, char **argv)
{
    struct replay_options o;
    int status = replay_options_read(&o, c, argc, argv);
    if (!status)
        status = o.repeats ? cli_replay(&o.choice, setting_list_text(&o.settings))
                           : debugger_replay(&o);
    replay_options_deinit(&o);
    return status;
}

static const struct command replay = {
    .examples = {"ebb replay", "ebb replay --verify myprogram-1"},
    .name = "replay", .run = replay_run, .operands = {"[RECORDING]", "[RECORDING]"},
    .operand_kind = NAMES_RECORDING, .options = replay_option_table,
    .summary = "go back and forth in a recording; or repeat it and check that nothing differs",
    .about = replay_about, .after = replay_after,
};

/* --- ebb help --------------------------------------------------------------------------------- */

enum { HELP_MANUAL = 1, HELP_COMPLETION };

static const struct command_option help_options[] = {
    {.id = HELP_MANUAL, .name = "manual", .help = "print the manual page, for man(1)"},
    {.id = HELP_COMPLETION, .name = "completion", .value = "SHELL", .kind = NAMES_WORD,
     .words = "bash zsh fish", .help = "print the script that completes ebb's command lines"},
    {0},
};

struct help_asked {
    bool manual;
    const char *shell;
};

static int help_take(void *context, int id, const char *value)
{
    struct help_asked *asked = context;
    asked->manual |= id == HELP_MANUAL;
    if (id == HELP_COMPLETION)
        asked->shell = value;
    return 0;
}

static int help_run(const struct command *c, int argc, char **argv)
{
    struct help_asked asked = {0};
    int at;
    int status = command_read(c, argc, argv, help_take, &asked, &at);
    if (status)
        return status;
    if (argc - at > 1)
        return complain(CHANNEL_EXIT_USAGE, "help explains one command at a time");
    const struct command *one = at < argc ? command_find(commands, argv[at]) : NULL;
    if (at < argc && !one)
        return command_unknown(commands, argv[at]);
    if (asked.shell)
        return command_completion(commands, asked.shell);
    if (asked.manual)
        return command_manual(commands, one);
    return one ? command_help_one(one) : command_help_all(commands);
}

static const struct command help = {
    .examples = {"ebb help record", "ebb help --completion bash"},
    .name = "help", .run = help_run, .operands = {"[COMMAND]"}, .operand_kind = NAMES_COMMAND,
    .options = help_options, .summary = "explain ebb, or one of its commands",
};

int main(int argc, char **argv)
{
    if (argc < 2)
        return complain(CHANNEL_EXIT_USAGE, "no command was given; 'ebb help' lists them");
    const char *name = argv[1];
    prctl(PR_SET_NAME, "ebb"); /* for ps and pgrep */
    if (command_asks_for_help(argc, argv))
        return command_help_all(commands);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return command_version();
    if (name[0] == '-')
        return complain(CHANNEL_EXIT_USAGE, "there is no option '%s'; see 'ebb help'", name);
    const struct command *command = command_find(commands, name);
    if (!command)
        return command_unknown(commands, name);
    return command_start(command, argc - 1, argv + 1);
}
