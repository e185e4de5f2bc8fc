/* ebb exec: a program on the engine, in place of ebb.
 *
 * ebb finds the program and the engine, and becomes the engine: the same process, the same
 * parent, descriptors, environment, signal mask and terminal.  Nothing of ebb stays behind
 * that the program could notice.
 */
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/option_value.h"
#include "front/cli/cli.h"
#include "front/cli/cpu_option.h"
#include "front/cli/program_lookup.h"
#include "front/cli/setting_list.h"
#include "log/channel.h"
#include "log/engine_locate.h"
#include "log/engine_start.h"

/* Reads the options at argv[1] and on; *ret is the index of what follows them. */
static int exec_command_read_options(int argc, char **argv, struct setting_list *settings, int *ret)
{
    int at = 1, status = 0;
    for (; at < argc && argv[at][0] == '-' && !status; at++) {
        const char *joined = option_value(argv[at], "--setting=");
        const char *level = option_value(argv[at], "--cpu=");
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (strcmp(argv[at], "--stats") == 0)
            status = setting_list_add(settings, "stats=1");
        else if (level)
            status = cpu_option_add(settings, level);
        else if (joined)
            status = setting_list_add(settings, joined);
        else if (strcmp(argv[at], "--setting") == 0 && at + 1 < argc)
            status = setting_list_add(settings, argv[++at]);
        else if (strcmp(argv[at], "--setting") == 0)
            status = complain(CHANNEL_EXIT_USAGE, "--setting needs a NAME=VALUE");
        else
            status = complain(CHANNEL_EXIT_USAGE, "exec has no option '%s'; see 'ebb help exec'",
                              argv[at]);
    }
    *ret = at;
    return status;
}

int cli_exec(int argc, char **argv)
{
    struct setting_list settings = {0};
    int at;
    int status = exec_command_read_options(argc, argv, &settings, &at);
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
        err = engine_become(&(struct engine_start){engine, setting_list_text(&settings), program,
                                                   argc - at, argv + at});
    return error_complain(err, CHANNEL_EXIT_OURS);
}

void cli_exec_explain(void)
{
    printf("\n"
           "PROGRAM is looked up in PATH.  Its output, status, environment and descriptors are\n"
           "those of a run without ebb; nothing is recorded.\n"
           "\n"
           CPU_OPTION_HELP
           "  --stats               print ticks, fragments, system calls and time at the end\n"
           "  --setting NAME=VALUE  change how the engine works; may be given several times:\n"
           "\n");
    setting_list_explain();
    printf("\n"
           "The status is the program's, or 127 if there is no such program, 126 if it cannot\n"
           "be run, 125 if ebb itself fails, 2 if it was called wrongly.\n");
}
