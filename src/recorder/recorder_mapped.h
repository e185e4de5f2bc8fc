/* The list of mapped files (log/mapped_list.h), written while a recording is made.
 *
 * Threads that drain tracks note the MAP events that pass; a thread of its own, which gives way to
 * all others, reads each file once, hashes it and writes its line.
 */
#ifndef RECORDER_MAPPED_H
#define RECORDER_MAPPED_H

#include "log/format.h"
#include "log/recording.h"

struct record_mapped;

/* `rec` is lent, until record_mapped_finish. */
struct record_mapped *record_mapped_create(const struct recording *rec);

/* From any thread. */
void record_mapped_note(struct record_mapped *m, const struct event_map *map);

/* Waits until all that was noted is written, and destroys it.  Accepts NULL. */
void record_mapped_finish(struct record_mapped *m);

#endif
