/* Snapshots of a session: those that were taken while the track was recorded, and checkpoints that
 * outlive the session that made them.
 *
 * A long replay keeps snapshots in the store (log/snapshot_store.h), and the next session of the
 * same track begins from them. If a snapshot cannot be used, the session replays instead.
 */
#ifndef SESSION_SNAPSHOTS_INTERNAL_H
#define SESSION_SNAPSHOTS_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/snapshot_store.h"
#include "session/replayer_internal.h"
#include "session/session.h"

struct snapshots;

struct snapshots *snapshots_create(struct replayer_family *family);
/* Waits until the current snapshot is written. Drops snapshots that are not begun soon. Accepts
 * NULL. */
void snapshots_destroy(struct snapshots *s);

/* Finds the last snapshot at or before `at` that is later than `after`; false: there is none. */
bool snapshots_before(const struct snapshots *s, struct moment after, struct moment at,
                      struct moment *ret);

/* Makes a process from the snapshot at this moment: a copy of `first`, which stands at the start.
 * NULL: the snapshot cannot be used, and will not be found again. */
struct replayer *snapshots_restore(struct snapshots *s, struct replayer *first, struct moment at);

/* Restores the snapshot that a trimmed track begins with. */
struct error *snapshots_begin(struct snapshots *s, struct replayer *origin, struct replayer **ret);

/* One that a run from `from` towards `to` passes, and that has not been compared: the last whose
 * comparison takes at most `seconds`.  False: there is none. */
bool snapshots_on_way(const struct snapshots *s, struct moment from, struct moment to,
                      double seconds, struct moment *ret);
/* Compares a process that stands at that one.  An error if they differ: then it will not be found
 * again. */
struct error *snapshots_compare(struct snapshots *s, struct replayer *r);

/* Keeps the state of a process that stands. False: no snapshot is possible here, or the process has
 * more than `most` bytes of memory. Another thread compresses and writes it. */
bool snapshots_keep(struct snapshots *s, struct replayer *r, u64 most);

#endif
