/* ebb replay --verify and --run: recorded runs again, each track on an engine of its own
 * (verifier/verifier_track.c), or all of them, on engines that copy themselves where the program
 * forked (verifier/verifier_all.c). */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/option_value.h"
#include "base/types.h"
#include "front/cli/cli.h"
#include "front/cli/setting_list.h"
#include "log/channel.h"
#include "log/recording.h"
#include "log/track_choice.h"
#include "verifier/verifier_all.h"
#include "verifier/verifier_track.h"

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
                             : replay_track(rec, tracks[0], settings);
        free(tracks);
    }
    recording_destroy(rec);
    return status;
}

int cli_replay(int argc, char **argv)
{
    struct track_choice choice = {0};
    bool again = false;
    for (int i = 1; i < argc; i++) {
        const char *setting = option_value(argv[i], "--setting=");
        int status = 0;
        if (strcmp(argv[i], "--verify") == 0 || strcmp(argv[i], "--run") == 0)
            again = true;
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
    if (!again)
        return complain(CHANNEL_EXIT_USAGE, "--all needs --verify; see 'ebb help replay'");
    return replay_chosen(&choice);
}
