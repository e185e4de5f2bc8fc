/* The parts of a track that are verified side by side: from one snapshot to the next. */
#ifndef VERIFIER_PARTS_INTERNAL_H
#define VERIFIER_PARTS_INTERNAL_H

#include <stddef.h>

#include "base/types.h"
#include "log/recording.h"
#include "log/snapshot_store.h"

/* Where one part ends and the next begins. */
struct verifier_cut {
    const struct snapshot_stored *stored;
    struct snapshot_raw raw; /* as an engine reads it; closed when nobody holds the cut */
    size_t holders;
};

struct verifier_parts;

/* NULL: the track has no snapshots, or is too short to be taken apart. */
struct verifier_parts *verifier_parts_create(const struct recording *rec, u32 track, size_t cores);
void verifier_parts_destroy(struct verifier_parts *p); /* accepts NULL; no cut is held */

/* The next part: its bounds, NULL for the beginning and the end of the track, held until they are
 * given back.  False: there is none left.  A snapshot that cannot be read is no bound. */
bool verifier_parts_next(struct verifier_parts *p, struct verifier_cut **ret_from,
                         struct verifier_cut **ret_to);
void verifier_cut_release(struct verifier_cut *cut); /* accepts NULL */
/* It is not what it should be: nobody is to use it again. */
void verifier_cut_remove(const struct verifier_cut *cut); /* accepts NULL */

#endif
