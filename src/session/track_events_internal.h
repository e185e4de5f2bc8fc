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

/* The file stays open as long as the events. */
int track_events_file(const struct track_events *t, u64 *ret_size);

/* The moment of the last event, where the log ends. */
struct moment track_events_last(const struct track_events *t);

/* How the track ended, if neither with a status nor by a known signal; otherwise NULL. */
const char *track_events_end(const struct track_events *t);

/* True if the track begins at a snapshot (log/trimmed.h); *ret is its moment. */
bool track_events_trimmed(const struct track_events *t, struct moment *ret);

/* An engine has met `met` events and stands at `at`. Returns the number that `ebb dump` shows for
 * the next event, and the time of the event before it. `at` is needed because engines do not count
 * faults. */
void track_events_place(const struct track_events *t, u64 met, struct moment at, u64 *ret_number,
                        u64 *ret_time);

/* Returns the offset of the next event for an engine that stands at `at` and has met `met`
 * events. */
u64 track_events_offset(const struct track_events *t, u64 met, struct moment at);

/* The number of events that an engine meets in the whole track. */
u64 track_events_met(const struct track_events *t);

/* True if, after the first `met` events, a signal or a switch to another thread comes at this
 * moment before its instruction is executed. */
bool track_events_interrupt(const struct track_events *t, u64 met, struct moment at);

/* When the thread that has this number at the moment got its first turn, and when it ended: the
 * events before its first instruction and after its last. False: it existed from the start, or did
 * not end before the track. */
bool track_events_begins(const struct track_events *t, u32 thread, struct moment at,
                         struct moment *ret);
bool track_events_ends(const struct track_events *t, u32 thread, struct moment at,
                       struct moment *ret);

/* Finds the event by the number that `ebb dump` shows. */
struct error *track_events_find(const struct track_events *t, u64 number, struct moment *ret);

/* The moment of the last event at or before the time; of the first event if there is none. */
struct moment track_events_at_time(const struct track_events *t, u64 time);

/* The signals of the track and of its ancestors, and the mappings of files, sorted by time.
 * `number` is the one that `ebb dump` shows; 0 if the event is in the track of an ancestor. */
struct track_event_at {
    u64 offset, number;
};
const struct track_event_at *track_events_signals(const struct track_events *t, size_t *ret_count);
const struct track_event_at *track_events_maps(const struct track_events *t, size_t *ret_count);
/* True if one of these signals (bit N is signal N + 1) was delivered or raised from the first
 * tick to the last. */
bool track_events_signalled(const struct track_events *t, u64 signals, u64 first, u64 last);
const struct event *track_events_at(const struct track_events *t, const struct track_event_at *at);

/* Returns the bytes of all pieces of this kind in the START, joined; the caller frees them. */
u8 *track_events_piece(const struct track_events *t, u32 kind, size_t *ret_size);

/* Returns the absolute path of the file that was loaded as the program (for a script: its
 * interpreter); the caller frees it. */
char *track_events_program(const struct track_events *t);

#endif
