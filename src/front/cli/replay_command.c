/* ebb replay --verify: recorded runs again, each track on an engine of its own (replay_track.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/types.h"
#include "front/cli/cli.h"
#include "front/cli/option_value.h"
#include "front/cli/replay_all.h"
#include "front/cli/replay_track.h"
#include "front/cli/setting_list.h"
#include "front/cli/track_choice.h"
#include "log/channel.h"
#include "log/recording.h"

static struct setting_list extra; /* of the command line */

static int replay_chosen(const struct track_choice *choice)
{
    struct recording *rec;
    struct error *err = recording_open(choice->recording, &rec);
    if (err)
        return error_complain(err, 1);
    u32 *tracks;
    size_t count;
    int status;
    err = track_choose(choice, rec, &tracks, &count);
    if (err) {
        status = error_complain(err, 1);
    } else {
        const char *settings = setting_list_text(&extra);
        status = choice->all ? replay_all(rec, tracks, count, settings)
                             : replay_track(rec, tracks[0], false, settings);
        free(tracks);
    }
    recording_destroy(rec);
    return status;
}

int cli_replay(int argc, char **argv)
{
    struct track_choice choice = {0};
    bool verify = false;
    for (int i = 1; i < argc; i++) {
        const char *setting = option_value(argv[i], "--setting=");
        int status = 0;
        if (strcmp(argv[i], "--verify") == 0)
            verify = true;
        else if (strcmp(argv[i], "--all") == 0)
            choice.all = true;
        else if (setting)
            status = setting_list_add(&extra, setting);
        else
            status = track_choice_read(&choice, "replay", argv[i]);
        if (status)
            return status;
    }
    if (choice.all && choice.one)
        return complain(CHANNEL_EXIT_USAGE, "replay takes --track or --all, not both");
    if (!verify)
        return complain(CHANNEL_EXIT_USAGE, "replay needs --verify; see 'ebb help replay'");
    return replay_chosen(&choice);
}

void cli_replay_explain(void)
{
    printf("\n"
           "RECORDING is a name that 'ebb ls' shows, or a directory; without it, the latest.\n"
           "\n"
           "  --verify    repeat the run, print what it printed, check every event\n"
           "  --track=N   that process image; else the first that dumped core, or, if none did,\n"
           "              what the first process was at its end; see 'ebb info'\n"
           "  --all       every track, as many at a time as there are cores; prints a line for\n"
           "              each and nothing of what the program printed\n"
           "  --setting=NAME=VALUE  as for exec\n"
           "\n"
           "The status is 0 only if the whole run was reproduced, 3 if it differed, 1 if the\n"
           "recording is damaged, was cut or cannot be replayed here, 125 if ebb itself failed.\n"
           "With --all it is the worst of all tracks'.\n");
}
