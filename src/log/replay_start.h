/* What a replaying engine is started with: from the track's START. */
#ifndef LOG_REPLAY_START_H
#define LOG_REPLAY_START_H

#include "base/error.h"
#include "base/types.h"
#include "log/reader.h"

struct replay_start {
    char *path;  /* NULL: the process was killed before it had said all this */
    char **argv; /* ends with NULL; at least one */
    int argc;
    char *settings; /* those of the recording that still mean something */
    char *strings;  /* argv points there */
};

/* Refuses if this processor lacks what the recorded program could use (log/cpu_check.h). Reads the
 * first events of a fresh reader, which is past them afterwards. */
struct error *replay_start_init(struct replay_start *start, struct reader *reader);
void replay_start_deinit(struct replay_start *start);

#endif
