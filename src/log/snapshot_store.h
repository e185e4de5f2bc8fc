/* The store of snapshots: what replays learned, kept for the next opening of a recording; and those
 * that lie in the recording itself, since it was recorded.  Hosted.
 *
 *     CACHE/snapshots/ID/track-N-TICK-PC.snap     a snapshot (log/snapshot_file.h)
 *
 * CACHE is $XDG_CACHE_HOME/ebb, or ~/.cache/ebb; ID the recording's.  Everything there may be
 * removed at any time.  In a recording they lie beside the tracks, with the same names, and only
 * the recorder adds and removes any.  A name appears when its file is whole, so several sessions
 * work side by side without a lock.  The store is bounded: those that were used longest ago go
 * first.
 *
 * $EBB_SNAPSHOTS is the bound in bytes, with K, M or G; or `off`: nothing is looked for or kept,
 * nor are those of the recording used.
 */
#ifndef LOG_SNAPSHOT_STORE_H
#define LOG_SNAPSHOT_STORE_H

#include "base/error.h"
#include "base/types.h"
#include "log/recording.h"
#include "log/snapshot_file.h"

/* One that is there. */
struct snapshot_stored {
    struct snapshot_about about;
    char *path;
    u64 at;   /* where it begins in the file: of a packed recording */
    u64 size; /* of the snapshot */
    bool own; /* of the recording */
};

/* Those of a track (~0: of all), by moment. It is not an error if there is no store. */
struct snapshot_stored *snapshot_store_list(const u8 id[16], u32 track, size_t *ret_count);
/* Those in the recording. */
struct snapshot_stored *snapshot_store_list_own(const struct recording *rec, u32 track,
                                                size_t *ret_count);
void snapshot_store_list_free(struct snapshot_stored *list, size_t count);

/* The name that a snapshot's file has.  To be freed. */
char *snapshot_store_name(const struct snapshot_about *about);
/* Is that such a name, or that of one which is being written? */
bool snapshot_store_names(const char *name);

/* May anything be kept? */
bool snapshot_store_on(void);

/* Keeps one, and removes others if there are too many; *ret is its path, to be freed. */
struct error *snapshot_store_add(const struct snapshot_about *about, const struct snapshot_raw *raw,
                                 char **ret, u64 *ret_size);

/* Reads one, which is from now on the one that was used last.  If it is not what the list said it
 * is an error, and gone (but for those in the recording). */
struct error *snapshot_store_read(const struct snapshot_stored *s, struct snapshot_raw *ret);

/* The same, in parts. */
struct error *snapshot_store_open(const struct snapshot_stored *s, struct snapshot_reader **ret);

/* Removes all of a recording. */
void snapshot_store_remove(const u8 id[16]);

#endif
