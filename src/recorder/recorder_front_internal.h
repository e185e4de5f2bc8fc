/* The front of a recording (recorder.h) as its recorder sees it. */
#ifndef RECORDER_FRONT_INTERNAL_H
#define RECORDER_FRONT_INTERNAL_H

#include <signal.h>
#include <sys/signalfd.h>

#include "recorder/recorder.h"

/* The signals that are forwarded to the program, and that end a recording which waits for other
 * processes. */
void recorder_front_signals(sigset_t *ret);

/* True if the whole group, and so the program, got the signal. */
bool recorder_front_says_all(const struct recorder_front *front,
                             const struct signalfd_siginfo *info);

/* Tells the front where the recording is. */
void recorder_front_tell(const struct recorder_front *front, const char *path);

/* Called when the program was started, in its own group. */
void recorder_front_leave_group(const struct recorder_front *front);

/* The program has stopped: the front stops too, so that a shell sees it. */
void recorder_front_stop(struct recorder_front *front);
/* The front was continued; true if the program has to be continued as well. */
bool recorder_front_continued(struct recorder_front *front);

#endif
