/* The recorder: runs a program on the engine and writes down everything that happens to it.
 *
 * The recorder is the parent of the program.  The program's processes send a hello for each image
 * (log/channel.h).  For each image the recorder makes a track: a ring in shared memory, a file, and
 * a thread that moves events from the ring to the file.  It also keeps copies of mapped files that
 * may change, lists the others with their hashes, and describes the run in the meta file.
 *
 * A client says what to record, and calls recorder_turn() until the recording is over:
 *
 *     struct engine_start start = {engine, "", "/bin/true", 1, (char *[]){"true", NULL}};
 *     struct recorder_job job = {.start = &start, .output = "true.recording"};
 *     struct recorder_host host = {.failed = tell_failure};
 *     err = recorder_start(&job, &host, &r);
 *     while (!recorder_is_over(r))
 *         recorder_turn(r, -1);
 *     recorder_finish(r, &outcome);
 *     recorder_destroy(r);
 *
 * The recorder prints nothing. A failure is reported to the host, once; the program continues
 * unrecorded, and what was written stays usable.
 *
 * A process has one recorder at a time: the recorder takes over signals for good
 * (log/engine_start.h), and passes SIGINT, SIGQUIT, SIGTERM and SIGHUP on to the program.
 *
 * The first process may end before others that it started. The recorder then waits for them, and
 * tells the host which they are. From then on one of those signals ends the recording: the
 * processes continue unrecorded, or are ended too (`kill` of the job).
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <sys/types.h>

#include "base/error.h"
#include "base/types.h"
#include "log/engine_start.h"
#include "log/recording.h"

/* Two processes. A program may send any signal to all of its process group, SIGKILL as well (`kill
 * -9 0`, a timeout, a shell that ends its jobs). So a client in the same group can split in two:
 * the recorder gets its own group, so that nothing recorded is lost; the front stays in the
 * program's group, so that a shell and a terminal see one job.
 *
 *   shell ── front ── recorder ── program
 *            └─ one group ─ ─ ─ ─ ─ ┘
 */
struct recorder_front {
    pid_t pid;   /* 0: there is no front, and the caller waits for the recorder itself */
    pid_t group; /* of the front and the program */
    bool stopped;
    char *place; /* in shared memory: the path of the recording, once it exists */
};

/* Forks. Returns true in the recorder, which then records with this front. Returns false in the
 * front, after the recorder has ended; *ret_wait_status is its status. Takes over the signals. Must
 * be called before any thread is made. */
bool recorder_front_divide(struct recorder_front *ret, int *ret_wait_status);

/* In the front: true if the recorder was killed, so that the program continues unrecorded. `by` is
 * the signal. */
bool recorder_front_lost(int wait_status, int *by);

/* What to record. The caller keeps everything until the recorder is destroyed. */
struct recorder_job {
    const struct engine_start *start;
    /* a directory that does not exist or is empty; NULL: the next NAME-N in the root of recordings
     * (log/recording.h) */
    const char *output;
    bool only_if_failed; /* remove the recording if the program succeeds */
    bool kill;           /* a signal that ends the recording ends the processes, too */
    /* nanoseconds of a process's computing time between its snapshots; 0: none */
    u64 snapshots_apart;
    bool snapshots_exact; /* at this interval, whatever they cost */
    /* total size of snapshots; 0: 1 GiB, or a tenth of the free disk if that is less */
    u64 snapshot_bytes;
    /* NULL: no front; the program's group is not left, and no process stops with it */
    const struct recorder_front *front;
};

struct recorder_process {
    pid_t pid;
    char name[16]; /* from the kernel; "?" if not known */
};

/* Functions that are called with events while the recorder turns or finishes. They may be NULL. */
struct recorder_host {
    /* Nothing more is recorded, and the program continues. Called at most once. */
    void (*failed)(void *context, const struct recording *rec, const struct error *err);
    /* A mapped file (NULL: its name is not known) could not be copied: a replay will need the file
     * as it is now. `error` is an errno. Only the first such file is reported. */
    void (*not_copied)(void *context, const struct recording *rec, const char *path, int error);
    /* The first process has ended, and these are still running. Called at most once. */
    void (*waits)(void *context, const struct recording *rec,
                  const struct recorder_process *processes, size_t count);
    void *context;
};

struct recorder;

/* Makes the recording and starts the program. After an error there is no recording; but if the
 * recorder cannot watch the program, the program runs nevertheless. */
struct error *recorder_start(const struct recorder_job *job, const struct recorder_host *host,
                             struct recorder **ret);

/* True if every process of the program has ended and everything logged is written. */
bool recorder_is_over(const struct recorder *r);

/* Waits for an event, at most this many milliseconds (-1: no limit), and handles it. */
void recorder_turn(struct recorder *r, int timeout);

/* The number of bytes written so far: tracks and copies. */
u64 recorder_stored(const struct recorder *r);

/* Valid until the recorder is destroyed. */
const struct recording *recorder_recording(const struct recorder *r);

enum { RECORDER_REMARKS_MOST = 8 };

enum recorder_result {
    RECORDER_KEPT,    /* there is a recording; it may be incomplete (meta.state) */
    RECORDER_NOTHING, /* no program ran: the recording is removed */
    RECORDER_REMOVED, /* the program did not fail, and only_if_failed was set */
};

struct recorder_outcome {
    enum recorder_result result;
    int wait_status;   /* of the program's first process */
    bool failed;       /* a failure was reported to the host */
    int ended_by;      /* the signal that ended the recording while processes lived on, or 0 */
    u32 left;          /* number of processes that continued unrecorded */
    u64 events;
    const char *limit; /* the first thing that cannot be replayed, or NULL */
    char *const *remarks; /* sentences on what differs from a native run; NULL after the last */
    struct error *err; /* the recording could not be removed; owned by the caller */
};

/* Called when it is over: completes the meta file, and removes the recording if it is not to be
 * kept. Strings in *ret are valid until the recorder is destroyed. */
void recorder_finish(struct recorder *r, struct recorder_outcome *ret);

/* After recorder_finish.  Accepts NULL. */
void recorder_destroy(struct recorder *r);

#endif
