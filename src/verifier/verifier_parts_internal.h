/* The parts of a track that are verified in parallel: from one snapshot to the next. */
#ifndef VERIFIER_PARTS_INTERNAL_H
#define VERIFIER_PARTS_INTERNAL_H

#include <stddef.h>

#include "base/types.h"
#include "log/recording.h"
#include "log/snapshot_store.h"

/* Where one part ends and the next begins. */
struct verifier_cut {
    const struct snapshot_stored *stored; /* without a path: the snapshot of a trimmed track */
    struct snapshot_raw raw; /* in the form for engines; closed when the cut is no longer held */
    size_t holders;
};

struct verifier_parts;

/* NULL: the track has no snapshots. A trimmed track has at least the one at its beginning. */
struct verifier_parts *verifier_parts_create(const struct recording *rec, u32 track, size_t cores);
void verifier_parts_destroy(struct verifier_parts *p); /* accepts NULL; no cut is held */
bool verifier_parts_trimmed(const struct verifier_parts *p);
/* Returns where the track begins, held; NULL: at its program's start. An error if it was trimmed
 * and its snapshot cannot be read. */
struct error *verifier_parts_beginning(struct verifier_parts *p, struct verifier_cut **ret);

/* Returns the next part: its bounds, NULL for the beginning and end of the track, held until they
 * are released. False: there is none left, or the first cannot be started. A snapshot that cannot
 * be read is not used as a bound. */
bool verifier_parts_next(struct verifier_parts *p, struct verifier_cut **ret_from,
                         struct verifier_cut **ret_to);
void verifier_cut_release(struct verifier_cut *cut); /* accepts NULL */
/* The snapshot is wrong: removes it so that it is not used again. */
void verifier_cut_remove(const struct verifier_cut *cut); /* accepts NULL */

#endif
