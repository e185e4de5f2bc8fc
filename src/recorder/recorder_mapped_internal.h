/* The list of mapped files (log/mapped_list.h), written while a recording is made.
 *
 * The threads of tracks note MAP events; a separate thread of low priority reads each file once,
 * hashes it and writes its line.
 */
#ifndef RECORDER_MAPPED_INTERNAL_H
#define RECORDER_MAPPED_INTERNAL_H

#include "log/format.h"
#include "log/recording.h"

struct recorder_mapped;

/* The caller keeps `rec` open until recorder_mapped_finish. */
struct recorder_mapped *recorder_mapped_create(const struct recording *rec);

/* Can be called from any thread. */
void recorder_mapped_note(struct recorder_mapped *m, const struct event_map *map);

/* Waits until all lines are written, and destroys it. Accepts NULL. */
void recorder_mapped_finish(struct recorder_mapped *m);

#endif
