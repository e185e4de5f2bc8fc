/* Snapshots that the recorded processes take: provides files for them, compresses and stores them,
 * and removes some if there are too many. */
#ifndef RECORDER_SNAPSHOTS_INTERNAL_H
#define RECORDER_SNAPSHOTS_INTERNAL_H

#include "base/types.h"
#include "log/channel.h"
#include "log/recording.h"

struct recorder_snapshots;

/* `bytes` is their total size; 0: the default. `exact`: keep as many as are requested. */
struct recorder_snapshots *recorder_snapshots_create(const struct recording *rec, u64 bytes,
                                                     bool exact);

/* A process of this track requests room: answers on its socket. */
void recorder_snapshots_give(struct recorder_snapshots *s, u32 track, int socket,
                             const struct channel_room *ask);
/* The process has written a snapshot, or could not. */
void recorder_snapshots_take(struct recorder_snapshots *s, u32 track,
                             const struct channel_snapshot *said);
/* The process is gone; the snapshot that it was writing is incomplete. */
void recorder_snapshots_forget(struct recorder_snapshots *s, u32 track);

/* Can be called while it runs. */
u64 recorder_snapshots_stored(struct recorder_snapshots *s);

/* Waits until all are stored, and completes the meta data. Accepts NULL. */
void recorder_snapshots_finish(struct recorder_snapshots *s, struct recording_meta *meta);

#endif
