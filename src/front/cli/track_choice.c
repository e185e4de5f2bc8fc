/* Which recording a command is about, and which of its tracks: see the header. */
#include "front/cli/track_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "front/cli/option_value.h"
#include "log/channel.h"

int track_choice_read(struct track_choice *choice, const char *command, const char *word)
{
    const char *number = option_value(word, "--track=");
    if (number) {
        if (!*number || strlen(number) > 9 || number[strspn(number, "0123456789")])
            return complain(CHANNEL_EXIT_USAGE, "--track is a number, not '%s'", number);
        choice->one = true;
        choice->track = (u32)strtoul(number, NULL, 10);
        return 0;
    }
    if (word[0] == '-')
        return complain(CHANNEL_EXIT_USAGE, "%s has no option '%s'; see 'ebb help %s'", command,
                        word, command);
    if (choice->recording)
        return complain(CHANNEL_EXIT_USAGE, "%s is about one recording at a time", command);
    choice->recording = word;
    return 0;
}

struct error *track_choose(const struct track_choice *choice, const struct recording *rec,
                           u32 **ret, size_t *ret_count)
{
    struct error *err = recording_tracks(rec, ret, ret_count);
    if (err)
        return err;
    if (*ret_count == 0) {
        free(*ret);
        return error_new("%s has no tracks", rec->path);
    }
    if (choice->all && !choice->one)
        return NULL;
    for (size_t i = 0; i < *ret_count; i++) {
        if ((*ret)[i] != choice->track)
            continue;
        (*ret)[0] = choice->track;
        *ret_count = 1;
        return NULL;
    }
    free(*ret);
    return error_new("%s has no track %u", rec->path, choice->track);
}
