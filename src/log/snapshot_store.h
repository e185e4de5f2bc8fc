/* The store of snapshots: those that replays made, kept for the next opening of a recording; and
 * those in the recording itself, taken while it was recorded. Hosted.
 *
 *     CACHE/snapshots/ID/track-N-TICK-PC.snap     a snapshot (log/snapshot_file.h)
 *
 * CACHE is $XDG_CACHE_HOME/ebb, or ~/.cache/ebb; ID the recording's. Everything there may be
 * removed at any time. In a recording they are beside the tracks, with the same names, and only the
 * recorder adds and removes them. A name appears when its file is complete, so several sessions
 * work side by side without a lock. The size of the store is limited: the least recently used are
 * removed first.
 *
 * $EBB_SNAPSHOTS is the limit in bytes, with K, M or G; or `off`: no snapshot is kept or used, not
 * even those of the recording.
 */
#ifndef LOG_SNAPSHOT_STORE_H
#define LOG_SNAPSHOT_STORE_H

#include "base/error.h"
#include "base/types.h"
#include "log/recording.h"
#include "log/snapshot_file.h"

/* A stored snapshot. */
struct snapshot_stored {
    struct snapshot_about about;
    char *path;
    u64 at;   /* its offset in the file, for a packed recording */
    u64 size; /* of the snapshot */
    bool own; /* it is in the recording, */
    const struct recording *rec; /* which must be open while it is read */
};

/* Lists the snapshots of a track (~0: of all), by moment. It is not an error if there is no
 * store. */
struct snapshot_stored *snapshot_store_list(const u8 id[16], u32 track, size_t *ret_count);
/* Lists those in the recording. */
struct snapshot_stored *snapshot_store_list_own(const struct recording *rec, u32 track,
                                                size_t *ret_count);
/* Bytes of the page files in the recording. */
u64 snapshot_store_page_bytes(const struct recording *rec);
void snapshot_store_list_free(struct snapshot_stored *list, size_t count);

/* Returns the file name for a snapshot; the caller frees it. */
char *snapshot_store_name(const struct snapshot_about *about);
/* True for such a name, or that of a snapshot that is being written. */
bool snapshot_store_names(const char *name);

/* Returns the path of the store, which the caller frees, and the most it may hold; NULL: nothing is
 * kept. */
char *snapshot_store_path(u64 *ret_most);

/* True if snapshots may be kept. */
bool snapshot_store_on(void);

/* Stores a snapshot, and removes others if there are too many; *ret is its path, which the caller
 * frees. */
struct error *snapshot_store_add(const struct snapshot_about *about, const struct snapshot_raw *raw,
                                 char **ret, u64 *ret_size);

/* Reads a snapshot and marks it as used. If it is not what the list said, it is removed (unless it
 * is in the recording), and an error is returned. */
struct error *snapshot_store_read(const struct snapshot_stored *s, struct snapshot_raw *ret);

/* The same, but opens it to be read in parts. */
struct error *snapshot_store_open(const struct snapshot_stored *s, struct snapshot_reader **ret);

/* Removes all snapshots of a recording. */
void snapshot_store_remove(const u8 id[16]);

#endif
