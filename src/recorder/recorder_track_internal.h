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

/* How processes take snapshots: the interval in nanoseconds, 0: not at all; and whether to keep it
 * whatever they cost. */
struct recorder_pace {
    u64 apart;
    bool exact;
};

/* Answers a hello: makes ring and file, welcomes the engine, starts the thread. Takes ownership of
 * `socket`, the track's own. The thread writes to the eventfd `done` when it has stopped, for
 * whatever reason. Mapped files are reported to `mapped`, which the caller keeps. */
struct error *recorder_track_create(const struct recording *rec, const struct channel_hello *hello,
                                    u32 number, int socket, u64 ring_size, int done,
                                    struct recorder_mapped *mapped,
                                    const struct recorder_pace *pace, struct recorder_track **ret);

/* Refuses a hello: the program continues unrecorded. Takes ownership of the socket. */
void recorder_track_refuse(int socket, int error);

u32 recorder_track_number(const struct recorder_track *t);
int recorder_track_socket(const struct recorder_track *t);

/* Its process id, as seen here. */
pid_t recorder_track_pid(const struct recorder_track *t);

/* Ends the recording of this track: events logged so far are written, and its process continues
 * unrecorded. */
void recorder_track_leave(struct recorder_track *t);

/* Its process image is gone: nothing more will come into the ring. */
void recorder_track_hang_up(struct recorder_track *t);

/* True if the thread has stopped. */
bool recorder_track_stopped(const struct recorder_track *t);

/* Returns the error once the thread has stopped; NULL if there was none. The caller owns it. */
struct error *recorder_track_error(struct recorder_track *t);

/* Once the thread has stopped: returns its first note about something that cannot be replayed, or
 * NULL. The caller frees it. */
char *recorder_track_limit(struct recorder_track *t);

/* The same for the first note on what differs from a native run, or NULL. */
char *recorder_track_remark(struct recorder_track *t);

/* Can be read while it runs. */
struct recorder_figures {
    u64 events, raw, stored, ring;
    bool entered; /* its program was loaded and ran */
    bool core; /* its END says that it dumped core */
};
struct recorder_figures recorder_track_figures(const struct recorder_track *t);

/* Waits for the thread. */
void recorder_track_destroy(struct recorder_track *t);

#endif
