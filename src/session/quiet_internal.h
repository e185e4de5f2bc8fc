/* Quiet stretches: those in which no event of a plan can happen, because its memory was not
 * written.
 *
 * A recording says which pages were not written between two snapshots (log/unwritten.h). A plan
 * that looks only for stores that change bytes cannot hit in a stretch in which none of its pages
 * was written. Signals are known from the log. Loads, code, calls, and stores that count whatever
 * they store are never passed over, nor is memory that mappings share.
 *
 * Neighbouring stretches are joined at their snapshot. At the ends of what is joined, the tick of
 * the snapshot is left out: other events of the same moment may have come before or after it.
 */
#ifndef SESSION_QUIET_INTERNAL_H
#define SESSION_QUIET_INTERNAL_H

#include "base/types.h"
#include "log/control.h"
#include "log/recording.h"
#include "session/session.h"
#include "session/track_events_internal.h"

struct quiet;

/* For tests: $EBB_SEARCH is `whole` (nothing is passed over), or `skip` (even short stretches
 * are). */
struct quiet *quiet_create(const struct recording *rec, u32 track,
                           const struct track_events *events);
void quiet_destroy(struct quiet *q); /* accepts NULL */

/* Finds the first or the last quiet stretch of at least `least` ticks between two moments. */
bool quiet_first(struct quiet *q, const struct plan *plan, struct moment from, struct moment to,
                 u64 least, struct moment *ret_from, struct moment *ret_to);
bool quiet_last(struct quiet *q, const struct plan *plan, struct moment from, struct moment to,
                u64 least, struct moment *ret_from, struct moment *ret_to);

#endif
