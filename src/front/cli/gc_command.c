/* ebb gc: removes files that crashed processes left behind. */
#include "base/complain.h"
#include "base/error.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "log/recording.h"

static int gc_run(const struct command *c, int argc, char **argv)
{
    int at;
    int status = command_read(c, argc, argv, NULL, NULL, &at);
    if (status)
        return status;
    if (at < argc)
        return command_one_too_many(c, argv[at]);
    struct recording_garbage garbage;
    struct error *err = recording_collect(&garbage);
    if (err)
        return error_complain(err, 1);
    char size[FIGURES_ROOM];
    complain(0, "removed %llu leftovers and %llu shared copies that no recording uses, %s",
             (unsigned long long)garbage.leftovers, (unsigned long long)garbage.contents,
             figures_bytes(size, garbage.bytes));
    return 0;
}

const struct command cli_gc = {
    .examples = {"ebb gc", "EBB_RECORDINGS=/var/tmp/recordings ebb gc"},
    .name = "gc",
    .run = gc_run,
    .operands = {""},
    .operand_kind = NAMES_NOTHING,
    .summary = "remove what crashes left behind",
    .about =
        "Recordings in $EBB_RECORDINGS or ~/.local/share/ebb share copies of files. gc removes "
        "copies that no recording uses any more, as after 'rm -r' of a recording, and what "
        "recorders that were killed left behind: half-made copies and directories in which "
        "nothing was recorded yet. Recordings stay, also those that were cut short.\n",
};
