/* Two processes record a program: the front, which the caller waits for and signals, and the recorder.
 *
 * A program may send anything to all of its process group, SIGKILL as well (`kill -9 0`, a timeout,
 * a shell that ends its jobs).  The recorder is therefore in a group of its own, and nothing that was
 * recorded is lost.  The front stays in the program's, so that to a shell and a terminal both are one job.
 *
 *   shell ── front ── recorder ── program
 *            └─ one group ─ ─ ─ ─ ─ ┘
 */
#ifndef RECORDER_FRONT_H
#define RECORDER_FRONT_H

#include <stdbool.h>
#include <sys/types.h>

struct recorder_front {
    pid_t pid;   /* 0: there is none, and the recorder is who the caller waits for */
    pid_t group; /* of those two, or three */
    bool stopped;
};

/* True in the recorder, which is then to start the program and call recorder_front_leave_group().
 * False in the front, after all is over: *ret_status is what to end with. */
bool recorder_front_divide(struct recorder_front *ret, int *ret_status);

/* When the program has been started, in the group that it is to have. */
void recorder_front_leave_group(const struct recorder_front *front);

/* The program has stopped: so does the front, for a shell to see. */
void recorder_front_stop(struct recorder_front *front);
/* It was told to go on; does the program have to be told as well? */
bool recorder_front_continued(struct recorder_front *front);

#endif
