/* Options of commands that work on a recording: which one, which of its tracks, where to begin.
 *
 * A command puts the rows that it needs into its table, with its own ids, and calls these functions
 * from its command_take.
 */
#ifndef COMMAND_RECORDING_CHOICE_H
#define COMMAND_RECORDING_CHOICE_H

#include "command/command.h"
#include "log/track_choice.h"

#define RECORDING_HELP \
    "RECORDING is a name that 'ebb ls' shows, a folder, or a packed file. The default is the " \
    "latest recording.\n"

#define TRACK_OPTION(id_)                                                                          \
    {                                                                                              \
        .id = id_, .name = "track", .value = "N",                                                  \
        .help = "open process image N; 'ebb info' lists them. The default is the first image "     \
                "that dumped core or, if none did, the last image of the first process"            \
    }
#define ONE_TRACK_OPTION(id_) \
    {.id = id_, .name = "track", .value = "N", .help = "only this track"}
#define START_OPTION(id_) \
    {.id = id_, .name = "start", .help = "begin at the start of the run instead of its end"}

/* Reads the value of --track. Returns 0, or a status after a complaint. */
int recording_choice_track(struct track_choice *choice, const char *value);

/* Reads the operands from argv[at] on: at most one, the recording. Returns 0, or a status after a
 * complaint. */
int recording_choice_operands(struct track_choice *choice, const struct command *c, int argc,
                              char **argv, int at);

#endif
