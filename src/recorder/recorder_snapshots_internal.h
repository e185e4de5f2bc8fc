/* Snapshots that the recorded processes take: given room for, compressed, stored, thinned. */
#ifndef RECORDER_SNAPSHOTS_INTERNAL_H
#define RECORDER_SNAPSHOTS_INTERNAL_H

#include "base/types.h"
#include "log/channel.h"
#include "log/recording.h"

struct recorder_snapshots;

/* `bytes` is what they may take in all; 0: the default.  `exact`: as many as are asked for. */
struct recorder_snapshots *recorder_snapshots_create(const struct recording *rec, u64 bytes,
                                                     bool exact);

/* A process of this track asks for room: answers on its socket. */
void recorder_snapshots_give(struct recorder_snapshots *s, u32 track, int socket,
                             const struct channel_room *ask);
/* It has written one, or could not. */
void recorder_snapshots_take(struct recorder_snapshots *s, u32 track,
                             const struct channel_snapshot *said);
/* The process is gone; what it was writing is not whole. */
void recorder_snapshots_forget(struct recorder_snapshots *s, u32 track);

/* While it runs, too. */
u64 recorder_snapshots_stored(struct recorder_snapshots *s);

/* Waits until all are stored, and completes the meta data.  Accepts NULL. */
void recorder_snapshots_finish(struct recorder_snapshots *s, struct recording_meta *meta);

#endif
