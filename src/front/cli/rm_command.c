/* ebb rm: removes recordings. */
#include "base/complain.h"
#include "base/error.h"
#include "front/cli/cli.h"
#include "log/channel.h"
#include "log/recording.h"

static int rm_run(const struct command *c, int argc, char **argv)
{
    int at;
    int status = command_read(c, argc, argv, NULL, NULL, &at);
    if (status)
        return status;
    if (at >= argc)
        return complain(CHANNEL_EXIT_USAGE,
                        "rm needs the name of a recording; 'ebb ls' lists them");
    for (int i = at; i < argc; i++) {
        struct error *err = recording_remove_named(argv[i]);
        if (err)
            status = error_complain(err, 1);
    }
    return status;
}

const struct command cli_rm = {
    .examples = {"ebb rm myprogram-1", "ebb rm myprogram-1 myprogram-2"},
    .name = "rm", .run = rm_run, .operands = {"RECORDING..."}, .operand_kind = NAMES_RECORDING,
    .summary = "remove recordings",
    .about = "RECORDING is a name that 'ebb ls' shows, or a directory. Only files that are part of "
             "a recording are removed. The status is 0 if all recordings are gone, otherwise 1.\n",
};
