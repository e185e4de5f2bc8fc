/* Tracks that were trimmed: they begin at a snapshot, which is a part of the recording.  Hosted.
 *
 * It is stored like other snapshots of the recording (log/snapshot_store.h), but it is required.
 */
#ifndef LOG_TRIMMED_H
#define LOG_TRIMMED_H

#include "base/error.h"
#include "base/types.h"
#include "log/recording.h"
#include "log/snapshot_file.h"

/* True if the track begins at a snapshot; *ret describes it. Errors in the track's file are not
 * reported here. */
bool trimmed_about(const struct recording *rec, u32 track, struct snapshot_about *ret);

/* Opens that snapshot to be read in parts; the other function reads it in the form for engines. */
struct error *trimmed_open(const struct recording *rec, const struct snapshot_about *about,
                           struct snapshot_reader **ret);
struct error *trimmed_read(const struct recording *rec, const struct snapshot_about *about,
                           struct snapshot_raw *ret);

#endif
