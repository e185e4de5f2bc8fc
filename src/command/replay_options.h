/* The command line of `ebb replay`, which has two uses: a prompt in a recording (front/debugger),
 * and a replay of a whole run (front/cli). */
#ifndef COMMAND_REPLAY_OPTIONS_H
#define COMMAND_REPLAY_OPTIONS_H

#include "base/list.h"
#include "command/command.h"
#include "command/setting_list.h"
#include "log/track_choice.h"

/* -c or -x. */
struct replay_order {
    bool is_file;
    const char *text;
};

struct replay_options {
    struct track_choice choice;
    bool at_start, json, tui;
    bool is_quiet;      /* do not print the current place at the start */
    struct list orders; /* struct replay_order */
    bool repeats;       /* --run or --verify: no prompt */
    struct setting_list settings;
};

int replay_options_read(struct replay_options *o, const struct command *c, int argc, char **argv);
void replay_options_deinit(struct replay_options *o);

/* The rows and texts of the command. */
extern const struct command_option replay_option_table[];
extern const char replay_about[], replay_after[];

#endif
