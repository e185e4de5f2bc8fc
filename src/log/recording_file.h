/* The files of a recording: those that the program mapped, their debug information and sources.
 * Hosted.
 *
 * A recording is a directory or a packed file (log/pack.h); these functions handle both. They look
 * in this order:
 *
 *     a packed recording   only what was packed, never the files of this machine
 *     a directory          copies that it keeps, then the file of this machine, if its content
 *                          still is what was mapped (log/mapped_list.h)
 *
 * So a file that was replaced since is never taken for the recorded one.
 *
 * A descriptor that they return is read-only, positioned at offset 0, closed on exec, shares its
 * offset with no other, and belongs to the caller. Errors are complete sentences that name the file
 * and say what to do.
 *
 * Only one thread at a time may request files of a recording.
 */
#ifndef LOG_RECORDING_FILE_H
#define LOG_RECORDING_FILE_H

#include "base/error.h"
#include "base/types.h"
#include "log/channel.h"
#include "log/format.h"
#include "log/mapped_list.h"
#include "log/recording.h"

/* For front ends: opens the file with the absolute path `path` in the recorded program, its debug
 * information or its line tables: program, library, debug file, source.
 *
 * If the recording is a directory, a path that was not mapped is a file of this machine (a source
 * may have been edited since; only packing keeps it). */
struct error *recording_file(const struct recording *rec, const char *path, int *ret);
/* True if the file is packed with the recording. Then a failure to open it means damage. */
bool recording_file_packed(const struct recording *rec, const char *path);

/* For units that run an engine: the file of a MAP event, which the engine requests by
 * CHANNEL_FETCH. The answer is a CHANNEL_KEPT with the descriptor attached. */
struct error *recording_file_fetch(const struct recording *rec, const struct channel_fetch *fetch,
                                   int *ret);

/* The same by the facts in the list of mapped files. */
struct error *recording_file_mapped(const struct recording *rec,
                                    const struct mapped_file_about *about, int *ret);

/* Checks the copies and lists in files/, for these files, which the tracks have mapped. Files of
 * this machine are not checked. For a packed recording, checks that they are in it. */
struct error *recording_files_check(const struct recording *rec, const struct mapped_list *mapped);

#endif
