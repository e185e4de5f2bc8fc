/* One track that is being recorded: its ring, its file, and the thread between them. */
#ifndef RECORDER_TRACK_INTERNAL_H
#define RECORDER_TRACK_INTERNAL_H

#include <sys/types.h>

#include "base/error.h"
#include "base/types.h"
#include "log/channel.h"
#include "log/recording.h"
#include "recorder/recorder_mapped_internal.h"

struct recorder_track;

/* How the processes are to take snapshots: nanoseconds from one to the next, 0: not at all; and
 * whether that is so whatever they cost. */
struct recorder_pace {
    u64 apart;
    bool exact;
};

/* Answers a hello: makes ring and file, welcomes the engine, starts to drain.  `socket` is the
 * track's own, taken.  The thread writes to the eventfd `done` when it has stopped, for good or
 * bad.  Files that are mapped are told to `mapped`, which is lent. */
struct error *recorder_track_create(const struct recording *rec, const struct channel_hello *hello,
                                    u32 number, int socket, u64 ring_size, int done,
                                    struct recorder_mapped *mapped,
                                    const struct recorder_pace *pace, struct recorder_track **ret);

/* Answers a hello that cannot be met: the program is to go on unrecorded. Takes the socket. */
void recorder_track_refuse(int socket, int error);

u32 recorder_track_number(const struct recorder_track *t);
int recorder_track_socket(const struct recorder_track *t);

/* Its process, as this process knows it. */
pid_t recorder_track_pid(const struct recorder_track *t);

/* The recording is over for it: what it has logged so far is written, and its process goes on
 * unrecorded. */
void recorder_track_leave(struct recorder_track *t);

/* Its process image is gone: what is in the ring is all there will be. */
void recorder_track_hang_up(struct recorder_track *t);

/* Has the thread stopped? */
bool recorder_track_stopped(const struct recorder_track *t);

/* What went wrong, once the thread has stopped; NULL if nothing.  The caller's. */
struct error *recorder_track_error(struct recorder_track *t);

/* Once the thread has stopped: the first thing that it noted which cannot be replayed, or NULL.
 * The caller's. */
char *recorder_track_limit(struct recorder_track *t);

/* Likewise the first thing that differs from a native run, or NULL. */
char *recorder_track_remark(struct recorder_track *t);

/* While it runs, too. */
struct recorder_figures {
    u64 events, raw, stored, ring;
    bool entered; /* its program was loaded and ran */
    bool core; /* its END says that it dumped core */
};
struct recorder_figures recorder_track_figures(const struct recorder_track *t);

/* Waits for the thread. */
void recorder_track_destroy(struct recorder_track *t);

#endif
