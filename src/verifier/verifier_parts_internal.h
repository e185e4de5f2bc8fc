/* The parts of a track that are verified side by side: from one snapshot to the next. */
#ifndef VERIFIER_PARTS_INTERNAL_H
#define VERIFIER_PARTS_INTERNAL_H

#include <stddef.h>

#include "base/types.h"
#include "log/recording.h"
#include "log/snapshot_store.h"

/* Where one part ends and the next begins. */
struct verifier_cut {
    const struct snapshot_stored *stored; /* without a path: that of a track that was trimmed */
    struct snapshot_raw raw; /* as an engine reads it; closed when nobody holds the cut */
    size_t holders;
};

struct verifier_parts;

/* NULL: the track has no snapshots.  One that was trimmed begins at one, and has at least that. */
struct verifier_parts *verifier_parts_create(const struct recording *rec, u32 track, size_t cores);
void verifier_parts_destroy(struct verifier_parts *p); /* accepts NULL; no cut is held */
bool verifier_parts_trimmed(const struct verifier_parts *p);
/* Where the track begins, held; NULL: at its program's start.  An error if it was trimmed and its
 * snapshot cannot be read. */
struct error *verifier_parts_beginning(struct verifier_parts *p, struct verifier_cut **ret);

/* The next part: its bounds, NULL for the beginning and the end of the track, held until they are
 * given back.  False: there is none left, or the first cannot be begun.  A snapshot that cannot be
 * read is no bound. */
bool verifier_parts_next(struct verifier_parts *p, struct verifier_cut **ret_from,
                         struct verifier_cut **ret_to);
void verifier_cut_release(struct verifier_cut *cut); /* accepts NULL */
/* It is not what it should be: nobody is to use it again. */
void verifier_cut_remove(const struct verifier_cut *cut); /* accepts NULL */

#endif
