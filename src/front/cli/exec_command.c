/* ebb exec: runs a program on the engine, in place of ebb.
 *
 * ebb finds the program and the engine, and becomes the engine: the same process, the same parent,
 * descriptors, environment, signal mask and terminal. Nothing of ebb remains that the program could
 * notice.
 */
#include "base/complain.h"
#include "base/error.h"
#include "front/cli/cli.h"
#include "command/cpu_option.h"
#include "front/cli/program_lookup.h"
#include "command/setting_list.h"
#include "log/channel.h"
#include "log/engine_locate.h"
#include "log/engine_start.h"

enum { EXEC_CPU = 1, EXEC_STATS, EXEC_SETTING };

static const struct command_option exec_options[] = {
    CPU_OPTION(EXEC_CPU),
    {.id = EXEC_STATS, .name = "stats",
     .help = "print ticks, fragments, system calls and time at the end"},
    SETTING_OPTION(EXEC_SETTING, "change how the engine works; the settings are:"),
    {0},
};

static int exec_take(void *context, int id, const char *value)
{
    switch (id) {
    case EXEC_CPU:
        return cpu_option_add(context, value);
    case EXEC_STATS:
        return setting_list_add(context, "stats=1");
    default:
        return setting_list_add(context, value);
    }
}

static int exec_run(const struct command *c, int argc, char **argv)
{
    struct setting_list settings = {0};
    int at;
    int status = command_read(c, argc, argv, exec_take, &settings, &at);
    if (status)
        return status;
    if (at >= argc)
        return complain(CHANNEL_EXIT_USAGE, "exec needs a program to run; see 'ebb help exec'");

    char *program, *engine;
    status = program_lookup(argv[at], &program);
    if (status)
        return status;
    struct error *err = engine_locate(&engine);
    if (!err)
        err = engine_check_limits();
    if (!err)
        err = engine_become(&(struct engine_start){
            .engine = engine, .settings = setting_list_text(&settings), .program = program,
            .argc = argc - at, .argv = argv + at});
    return error_complain(err, CHANNEL_EXIT_OURS);
}

const struct command cli_exec = {
    .examples = {"ebb exec ./myprogram input.txt", "ebb exec --stats ./myprogram"},
    .name = "exec", .run = exec_run, .operands = {"PROGRAM [ARGUMENT]..."},
    .operand_kind = NAMES_PROGRAM, .runs_program = true, .options = exec_options,
    .summary = "run a program on the engine, without recording it",
    .about = "PROGRAM is looked up in PATH. Its output, status, environment and descriptors are "
             "those of a run without ebb.\n",
    .list = setting_list_explain,
    .after = "The status is the program's, or 127 if there is no such program, 126 if it cannot be "
             "run, 125 if ebb itself fails, 2 if it was called wrongly.\n",
};
