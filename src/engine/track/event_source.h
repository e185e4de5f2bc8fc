/* The source of a replay's events: a ring that ebb fills, or a file with all of them.
 *
 * A session uses the file: each copy of the process (a checkpoint) then has its own position in it.
 */
#ifndef ENGINE_EVENT_SOURCE_H
#define ENGINE_EVENT_SOURCE_H

#include "log/format.h"

/* The track was opened: takes what came with its welcome. */
void event_source_start(void);

/* The next event, valid until the source advances; NULL at the end. */
const struct event *event_source_peek(void);
void event_source_advance(const struct event *e);

/* Continues at this offset of the file. A ring only has the wanted events. */
void event_source_seek(u64 offset);

/* True if it is certain that no event follows. */
bool event_source_is_last(const struct event *e);

/* At the end: true if this is not the end of the log, but invalid data. */
bool event_source_damaged(void);

#endif
