/* The commands of ebb that are neither a prompt nor a protocol.
 *
 * Each returns the status that ebb ends with.  all_commands.c lists all commands.
 */
#ifndef FRONT_CLI_H
#define FRONT_CLI_H

#include "command/command.h"
#include "log/track_choice.h"

extern const struct command cli_exec;   /* does not return if all goes well */
extern const struct command cli_record; /* returns the status of the program */
extern const struct command cli_ls, cli_info, cli_dump, cli_rm, cli_gc, cli_cache, cli_pack,
    cli_trim;

/* ebb replay --verify, --run: returns 0 if everything was replayed as recorded, 3 if not,
 * or if a snapshot of the recording is not what the replay comes to. */
int cli_replay(const struct track_choice *choice, const char *settings);

#endif
