/* Snapshots of a session: those that were taken when the track was recorded, and checkpoints that
 * are not lost with their session.
 *
 * What a long replay passed is kept in the store (log/snapshot_store.h), and the next session of
 * the same track begins from there.  A snapshot that cannot be used costs the time of a replay,
 * and nothing else.
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
/* Waits for what is being written; what has not been begun soon is dropped.  Accepts NULL. */
void snapshots_destroy(struct snapshots *s);

/* The last one at or before `at`, but later than `after`; false: there is none. */
bool snapshots_before(const struct snapshots *s, struct moment after, struct moment at,
                      struct moment *ret);

/* Makes a process of the one at this moment: a copy of `first`, which stands at the start.  NULL:
 * it is of no use, and will not be found again. */
struct replayer *snapshots_restore(struct snapshots *s, struct replayer *first, struct moment at);

/* The one that the track begins with, since it was trimmed. */
struct error *snapshots_begin(struct snapshots *s, struct replayer *origin, struct replayer **ret);

/* Keeps the state of a process that stands; false: there can be none here, or it has more memory
 * than `most` bytes.  Compressing and
 * writing it is another thread's work. */
bool snapshots_keep(struct snapshots *s, struct replayer *r, u64 most);

#endif
