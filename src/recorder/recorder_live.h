/* The recorder of a live session: a process of its own that records a program, holds it, and lets
 * it go as a debugger says.
 *
 *   debugger <-- socket --> recorder <-- a socket for each track --> the program's processes
 *
 * One process of the program, the one that is debugged, runs under a plan (log/control.h). When its
 * plan stops it, or the debugger asks for it, all processes stand, and the log of that one is
 * complete up to the moment where it stands: the debugger can open the recording, or read on.
 *
 *     err = recorder_live_start(&job, &host, &live);
 *     recorder_live_wait(live, -1, &stop);       stands at its first instruction
 *     recorder_live_go(live, stop.track, plan, size);
 *     recorder_live_wait(live, -1, &stop);       stands where the plan stopped, or is gone
 *     recorder_live_end(live, LIVE_KILL);
 *
 * If the debugger ends without a word, the program is killed. The recording stays.
 */
#ifndef RECORDER_LIVE_H
#define RECORDER_LIVE_H

#include "recorder/recorder.h"

struct recorder_live;

/* Starts both. The functions of `host` are called in the recorder's process. The caller keeps what
 * `job` refers to; its front and holder are set here. */
struct error *recorder_live_start(const struct recorder_job *job, const struct recorder_host *host,
                                  struct recorder_live **ret);

struct recorder_live_stop {
    u32 track;
    bool over; /* the process is gone, or runs another program; its log is complete */
    struct control_stopped stopped; /* unless it is over: why it stands, and where */
    char path[4096];                /* of the recording */
};

/* Waits for at most so many milliseconds (-1: no limit), or until `wake` can be read (-1: none).
 * *ret_stands: the process stands, and *ret says how. */
struct error *recorder_live_wait(struct recorder_live *l, int milliseconds, int wake,
                                 struct recorder_live_stop *ret, bool *ret_stands);

/* Lets all processes run on, this one under the plan. */
struct error *recorder_live_go(struct recorder_live *l, u32 track, const void *plan, size_t size);
/* Gives a table of points to a process that stands. */
struct error *recorder_live_points(struct recorder_live *l, u32 track, int fd, u64 size);
/* Asks for all processes to stand. */
void recorder_live_hold(struct recorder_live *l);

enum recorder_live_end {
    LIVE_KILL,   /* all processes are killed; returns when the recording is complete */
    LIVE_DETACH, /* they run on, recorded, until they end */
};
/* Ends the session and frees it. Accepts NULL. */
void recorder_live_end(struct recorder_live *l, enum recorder_live_end how);

#endif
