/* Options that select a recording and its tracks: see the header. */
#include "command/recording_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "log/channel.h"

int recording_choice_track(struct track_choice *choice, const char *value)
{
    if (!*value || strlen(value) > 9 || value[strspn(value, "0123456789")])
        return complain(CHANNEL_EXIT_USAGE, "--track is a number, not '%s'", value);
    choice->one = true;
    choice->track = (u32)strtoul(value, NULL, 10);
    return 0;
}

int recording_choice_operands(struct track_choice *choice, const struct command *c, int argc,
                              char **argv, int at)
{
    if (argc - at > 1)
        return complain(CHANNEL_EXIT_USAGE, "%s takes one recording, but '%s' and '%s' were given",
                        c->name, argv[at], argv[at + 1]);
    if (argc > at)
        choice->recording = argv[at];
    return 0;
}
