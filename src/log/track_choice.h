/* Chooses the recording and the tracks for a command. Hosted. */
#ifndef LOG_TRACK_CHOICE_H
#define LOG_TRACK_CHOICE_H

#include "base/error.h"
#include "base/types.h"
#include "log/recording.h"

struct track_choice {
    const char *recording; /* NULL: the latest */
    bool all;
    bool one;
    u32 track; /* if `one`; otherwise, unless `all`, the most interesting one */
};

/* Returns the chosen tracks; the caller frees them. By default: the first process image that dumped
 * core, or else the last image of the first process. */
struct error *track_choose(const struct track_choice *choice, const struct recording *rec,
                           u32 **ret, size_t *ret_count);

#endif
