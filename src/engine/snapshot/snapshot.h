/* Snapshots: the guest's complete state, written to a file; and an engine that goes on from one.
 *
 * log/snapshot_state.h says what is in such a file.  It is written by an engine that stands at a
 * boundary and replays for a session, or records (snapshot_pace.c says when); and restored by one
 * that replays for a session.
 */
#ifndef ENGINE_SNAPSHOT_H
#define ENGINE_SNAPSHOT_H

#include "base/types.h"

struct snapshot_extent {
    u64 state_at, state_size; /* of the state, which follows the pages */
};

/* Without pages: what there is besides memory. */
#define SNAPSHOT_STATE_ALONE ~0ul

/* An engine that records takes snapshots from here on, if the recorder wants any. */
void snapshot_pace_start(void);

/* Why there can be no snapshot here; NULL: there can. */
const char *snapshot_hindrance(void);

/* Writes the state to an empty file, with at most so many pages.  NULL, or why there can be no
 * snapshot here; nothing has changed. */
const char *snapshot_write(i32 fd, u64 most_pages, struct snapshot_extent *ret);

/* Is this a snapshot that can be restored here?  NULL, or why not. */
const char *snapshot_check(i32 fd, const struct snapshot_extent *extent);

/* Is the guest, which stands at the moment of the snapshot, what that says?  NULL, or the first
 * difference, or why it cannot be told. */
struct snapshot_difference {
    bool told;
    char text[200];
};
const char *snapshot_compare(i32 fd, const struct snapshot_extent *extent,
                             struct snapshot_difference *ret);

/* Are the pages in the file, or does ebb have them, to be asked for at need? */
struct snapshot_given {
    bool asks;
    u32 number; /* what ebb calls it */
    u64 pages;  /* that it has */
};

/* Makes it the state of this process, whose guest is gone.  The next event is the one at `event`.
 * Goes on with engine_run() on the stack of the thread whose moment it is. */
_Noreturn void snapshot_restore(i32 fd, const struct snapshot_extent *extent,
                                const struct snapshot_given *given, u64 event);

#endif
