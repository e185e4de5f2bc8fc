/* Which recording, track and end of it: see the header. */
#include "front/gdb/recording_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/xalloc.h"
#include "log/channel.h"

const char *recording_choice_value(const char *name, int argc, char **argv, int *at, bool *missing)
{
    size_t length = strlen(name);
    const char *word = argv[*at];
    *missing = false;
    if (strncmp(word, name, length) != 0 || (word[length] && word[length] != '='))
        return NULL;
    if (word[length] == '=')
        return word + length + 1;
    *missing = *at + 1 >= argc;
    return *missing ? NULL : argv[++*at];
}

int recording_choice_read(struct recording_choice *c, const char *command, int argc, char **argv,
                          int *at)
{
    bool missing;
    const char *number = recording_choice_value("--track", argc, argv, at, &missing);
    if (missing)
        return complain(CHANNEL_EXIT_USAGE, "--track needs a number");
    if (number) {
        char *word = xformat("--track=%s", number);
        int status = track_choice_read(&c->track, command, word);
        free(word);
        return status;
    }
    if (strcmp(argv[*at], "--start") == 0) {
        c->at_start = true;
        return 0;
    }
    return track_choice_read(&c->track, command, argv[*at]);
}

struct error *recording_choice_open(const struct recording_choice *c, struct recording **ret_rec,
                                    struct rsp **ret)
{
    struct recording *rec;
    u32 *tracks;
    size_t count;
    struct error *err = recording_open(c->track.recording, &rec);
    if (err)
        return err;
    err = track_choose(&c->track, rec, &tracks, &count);
    if (!err) {
        err = rsp_create(rec, tracks[0], c->at_start, ret);
        free(tracks);
    }
    if (err) {
        recording_destroy(rec);
        return err;
    }
    *ret_rec = rec;
    return NULL;
}
