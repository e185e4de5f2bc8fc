/* ebb rm: recordings, removed. */
#include <stdio.h>

#include "base/complain.h"
#include "base/error.h"
#include "front/cli/cli.h"
#include "log/channel.h"
#include "log/recording.h"

int cli_rm(int argc, char **argv)
{
    if (argc < 2)
        return complain(CHANNEL_EXIT_USAGE, "rm needs the name of a recording; 'ebb ls' lists them");
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            return complain(CHANNEL_EXIT_USAGE, "rm has no option '%s'; see 'ebb help rm'", argv[i]);
    int status = 0;
    for (int i = 1; i < argc; i++) {
        struct error *err = recording_remove_named(argv[i]);
        if (err)
            status = error_complain(err, 1);
    }
    return status;
}

void cli_rm_explain(void)
{
    printf("\n"
           "RECORDING is a name that 'ebb ls' shows, or a directory.  Nothing is removed that is not\n"
           "part of a recording.  The status is 0 if all are gone, else 1.\n");
}
