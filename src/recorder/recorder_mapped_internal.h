/* The list of mapped files (log/mapped_list.h), written while a recording is made.
 *
 * Threads that drain tracks note the MAP events that pass; a thread of its own, which gives way to
 * all others, reads each file once, hashes it and writes its line.
 */
#ifndef RECORDER_MAPPED_INTERNAL_H
#define RECORDER_MAPPED_INTERNAL_H

#include "log/format.h"
#include "log/recording.h"

struct recorder_mapped;

/* `rec` is lent, until recorder_mapped_finish. */
struct recorder_mapped *recorder_mapped_create(const struct recording *rec);

/* From any thread. */
void recorder_mapped_note(struct recorder_mapped *m, const struct event_map *map);

/* Waits until all that was noted is written, and destroys it.  Accepts NULL. */
void recorder_mapped_finish(struct recorder_mapped *m);

#endif
