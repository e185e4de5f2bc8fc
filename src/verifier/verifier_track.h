/* One track replayed: an engine, what it is fed, and its verdict. */
#ifndef VERIFIER_TRACK_H
#define VERIFIER_TRACK_H

#include "base/types.h"
#include "log/recording.h"

/* 0 if all of it was reproduced, else a status of ebb's after a complaint.  Its output is shown;
 * `settings` come behind those it was recorded with. */
int replay_track(const struct recording *rec, u32 track, const char *settings);

#endif
