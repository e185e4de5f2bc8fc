/* Recording: everything that the program cannot compute itself is written to the ring when it
 * happens.
 *
 * If ebb is gone, the program continues unrecorded.
 */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include "engine/log/log.h"
#include "engine/track/replay.h"

struct k_stat;

extern const struct log_owner log_record;

/* What a snapshot needs of a recording, like replay_save_position(). False: an event lies at this
 * moment, and a replay that stands here has not met it; or nothing is recorded any more. */
bool record_save_position(struct replay_position *ret);
/* Makes observer.snapshot be called in this many nanoseconds. */
void record_ask_snapshot_in(u64 ns);
/* When the file was modified, as in a MAP event. */
u64 record_modified(const struct k_stat *st);

#endif
