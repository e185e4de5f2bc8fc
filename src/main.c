/* ebb: runs the commands that start programs, and becomes ebb-commands for all others.
 *
 * `ebb record` and `ebb exec` may be called thousands of times, for programs that take a
 * millisecond. So this program is small and linked statically: it consists of what these two
 * commands need, and needs none of the libraries that read and show programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/complain.h"
#include "command/command.h"
#include "front/cli/cli.h"
#include "log/channel.h"
#include "log/engine_locate.h"

static const struct command *const commands[] = {&cli_record, &cli_exec, NULL};

static int become_all_commands(char **argv)
{
    char *path;
    struct error *err = companion_locate(COMPANION_COMMANDS, &path);
    if (!err) {
        execv(path, argv);
        err = error_errno(errno, "cannot start %s", path);
        free(path);
    }
    return error_complain(err, CHANNEL_EXIT_OURS);
}

int main(int argc, char **argv)
{
    const struct command *command = argc > 1 ? command_find(commands, argv[1]) : NULL;
    return command ? command_start(command, argc - 1, argv + 1) : become_all_commands(argv);
}
