/* All events of a track, one after the other in an unlinked file. Engines replay from it, and ebb
 * finds in it which event, time and moment belong together. */
#ifndef SESSION_TRACK_EVENTS_INTERNAL_H
#define SESSION_TRACK_EVENTS_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"
#include "log/recording.h"
#include "session/session.h"

struct track_events;

struct error *track_events_create(const struct recording *rec, u32 track,
                                  struct track_events **ret);
void track_events_destroy(struct track_events *t); /* accepts NULL */

/* Lent as long as the events. */
int track_events_file(const struct track_events *t, u64 *ret_size);

/* Of the last event: where the log ends. */
struct moment track_events_last(const struct track_events *t);

/* How the track ended, if neither with a status nor by a signal that it knew of; otherwise NULL. */
const char *track_events_end(const struct track_events *t);

/* Does the track begin at a snapshot (log/trimmed.h)?  Then where. */
bool track_events_trimmed(const struct track_events *t, struct moment *ret);

/* The number that `ebb dump` shows for the event after the first `met` that an engine met, and the
 * time of the one before. The rest of the log does not matter. `at` is the moment: engines do not
 * count faults. */
void track_events_place(const struct track_events *t, u64 met, struct moment at, u64 *ret_number,
                        u64 *ret_time);

/* The offset of the event that an engine goes on with which stands at the moment and has met so
 * many. */
u64 track_events_offset(const struct track_events *t, u64 met, struct moment at);

/* How many events of it an engine meets. */
u64 track_events_met(const struct track_events *t);

/* Behind the first `met`: does a signal or another thread come at the moment, before what lies
 * there is executed? */
bool track_events_interrupt(const struct track_events *t, u64 met, struct moment at);

/* Of the thread that has this number at the moment: when it was first given its turn, and when it
 * ended.  These are events before its first instruction, and after its last.  False: it was there
 * from the start, or did not end before the track. */
bool track_events_begins(const struct track_events *t, u32 thread, struct moment at,
                         struct moment *ret);
bool track_events_ends(const struct track_events *t, u32 thread, struct moment at,
                       struct moment *ret);

/* By the number that `ebb dump` shows. */
struct error *track_events_find(const struct track_events *t, u64 number, struct moment *ret);

/* The last event that was at the time, or before; the first if there is none. */
struct moment track_events_at_time(const struct track_events *t, u64 time);

/* The signals of the track, the program's ancestors' included, in time; its mappings of files.
 * `number` is that of `ebb dump`, 0 if the event is in the track of an ancestor. */
struct track_event_at {
    u64 offset, number;
};
const struct track_event_at *track_events_signals(const struct track_events *t, size_t *ret_count);
const struct track_event_at *track_events_maps(const struct track_events *t, size_t *ret_count);
const struct event *track_events_at(const struct track_events *t, const struct track_event_at *at);

/* The bytes of all pieces of this kind in the START, joined; to be freed. */
u8 *track_events_piece(const struct track_events *t, u32 kind, size_t *ret_size);

/* The file that was loaded as the program, absolute (of a script: its interpreter); to be freed. */
char *track_events_program(const struct track_events *t);

#endif
