/* The files of a recording: what the recorded program mapped, and what explains it.  Hosted.
 *
 * A recording is a directory or a packed file (log/pack.h); these functions know which, and their
 * callers need not.  They look in this order:
 *
 *     a packed recording   only what was packed, never the files of this machine
 *     a directory          copies that it keeps, then the file of this machine, if its content
 *                          still is what was mapped (log/mapped_list.h)
 *
 * so that a file that has been replaced since is never taken for the one that was recorded.
 *
 * A descriptor that they return is for reading only, stands at offset 0, is closed on exec, shares
 * its offset with no other, and belongs to the caller. Errors are whole sentences that name the
 * file and what to do.
 *
 * One thread at a time may ask for files of one recording.
 */
#ifndef LOG_RECORDING_FILE_H
#define LOG_RECORDING_FILE_H

#include "base/error.h"
#include "base/types.h"
#include "log/channel.h"
#include "log/format.h"
#include "log/mapped_list.h"
#include "log/recording.h"

/* For front ends: the file that the recorded program, its debug information or its line tables call
 * `path` (absolute): program, library, debug file, source.
 *
 * Of a directory, a path that was not mapped is a file of this machine (a source may have been
 * edited since; only packing keeps it). */
struct error *recording_file(const struct recording *rec, const char *path, int *ret);
/* Is it packed with the recording?  Then that it cannot be had means damage. */
bool recording_file_packed(const struct recording *rec, const char *path);

/* For units that run an engine: the file of a MAP event, which the engine requests by
 * CHANNEL_FETCH. The answer is a CHANNEL_KEPT with the descriptor attached. */
struct error *recording_file_fetch(const struct recording *rec, const struct channel_fetch *fetch,
                                   int *ret);

/* The same by what is known of it. */
struct error *recording_file_mapped(const struct recording *rec,
                                    const struct mapped_file_about *about, int *ret);

/* Are the copies and lists in files/ what they should be, for these files, which the tracks have
 * mapped?  Files of this machine are not looked at.  Of a packed recording: are they in it? */
struct error *recording_files_check(const struct recording *rec, const struct mapped_list *mapped);

#endif
