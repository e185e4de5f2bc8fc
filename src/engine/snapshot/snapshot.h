/* Snapshots: writing the guest's complete state to a file, and continuing from one.
 *
 * log/snapshot_state.h describes the file. It is written at a boundary by an engine that replays
 * for a session, or that records (snapshot_pace.c decides when); and restored by one that replays.
 */
#ifndef ENGINE_SNAPSHOT_H
#define ENGINE_SNAPSHOT_H

#include "base/types.h"

struct snapshot_extent {
    u64 state_at, state_size; /* offset and size of the state, which follows the pages */
};

/* Without pages: only the state besides memory. */
#define SNAPSHOT_STATE_ALONE ~0ul

/* How the engine finds the pages that have changed since the last snapshot (snapshot_changes.c). */
struct snapshot_hash;
struct snapshot_changes {
    u32 way;            /* enum snapshot_way of log/snapshot_state.h; 0: not chosen yet */
    i32 fault_fd;       /* the userfaultfd of the way KERNEL */
    u64 number;         /* the recorder's number for the last snapshot; 0: there is none */
    u64 left;           /* number of changed pages that it left out; 0: it is complete */
    struct snapshot_hash *hashes, *new_hashes; /* of the last one and of the next one */
    u64 hash_count, new_hash_count;
};

/* Chooses the wanted way, or another one if that is impossible here. */
void snapshot_changes_choose(struct snapshot_changes *c, u32 wanted);
/* In a child of fork: which pages have changed is not known. */
void snapshot_changes_forked(struct snapshot_changes *c);

/* From here on an engine that records takes snapshots, if the recorder wants any. */
void snapshot_pace_start(void);

/* Returns why no snapshot is possible here; NULL: it is possible. */
const char *snapshot_hindrance(void);

/* Writes the state to an empty file, with at most this many pages. Returns NULL, or why no snapshot
 * is possible here; nothing has changed then. */
const char *snapshot_write(i32 fd, u64 most_pages, struct snapshot_extent *ret);

/* The same for a program that is recorded. If it fails, the next snapshot has all pages. */
struct snapshot_wish {
    u64 most_pages;
    bool since; /* do not write pages unchanged since the last snapshot (SNAPSHOT_SAME) */
    /* The maximum number of pages of a slice. Other changed pages are left out, and count as
     * changed in the next snapshot. 0: there is no maximum. */
    u64 slice;
};
const char *snapshot_write_changes(i32 fd, const struct snapshot_wish *wish,
                                   struct snapshot_changes *changes, struct snapshot_extent *ret);

/* Returns NULL if the snapshot can be restored here, or why not. */
const char *snapshot_check(i32 fd, const struct snapshot_extent *extent);

/* Compares the guest, which is at the moment of the snapshot, with it. Returns NULL, or the first
 * difference, or why they cannot be compared. */
struct snapshot_difference {
    bool told;
    char text[200];
};
const char *snapshot_compare(i32 fd, const struct snapshot_extent *extent,
                             struct snapshot_difference *ret);

/* Where the pages are: in the file, or at ebb, which is asked for them when needed. */
struct snapshot_given {
    bool asks;
    u32 number; /* ebb's number for the snapshot */
    u64 pages;  /* number of its pages */
};

/* Restores the snapshot in this process, whose guest is removed. The next event is the one at
 * `event`. Continues with engine_run() on the stack of the current thread. */
_Noreturn void snapshot_restore(i32 fd, const struct snapshot_extent *extent,
                                const struct snapshot_given *given, u64 event);

#endif
