/* How a replaying engine is started, from the track's START. */
#ifndef LOG_REPLAY_START_H
#define LOG_REPLAY_START_H

#include "base/error.h"
#include "base/types.h"
#include "log/reader.h"

struct replay_start {
    char *path;  /* NULL: the process was killed before it had logged all of this */
    char **argv; /* ends with NULL; at least one */
    int argc;
    char *settings; /* the settings of the recording that matter for a replay */
    char *strings;  /* argv points there */
};

/* Refuses if this processor lacks features that the recorded program could use (log/cpu_check.h).
 * Reads the first events of a new reader, which then stands after them. */
struct error *replay_start_init(struct replay_start *start, struct reader *reader);
void replay_start_deinit(struct replay_start *start);

#endif
