/* Where a replay's events come from: a ring that ebb fills, or a file with all of them.
 *
 * A session has the file: each copy of the process (a checkpoint) then has its own place in it.
 */
#ifndef ENGINE_EVENT_SOURCE_H
#define ENGINE_EVENT_SOURCE_H

#include "log/format.h"

/* The track has been opened: takes what its welcome brought. */
void event_source_start(void);

/* The next event, valid until the source advances; NULL at the end. */
const struct event *event_source_peek(void);
void event_source_advance(const struct event *e);

/* Goes on at this offset of the file.  A ring has no other events than those that are wanted. */
void event_source_seek(u64 offset);

/* Is it certain that no event follows it? */
bool event_source_is_last(const struct event *e);

/* At the end: it is not the end that the log has, but what came is no event. */
bool event_source_damaged(void);

#endif
