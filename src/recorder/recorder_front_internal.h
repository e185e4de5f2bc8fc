/* The front of a recording (recorder.h) as its recorder sees it. */
#ifndef RECORDER_FRONT_INTERNAL_H
#define RECORDER_FRONT_INTERNAL_H

#include <signal.h>
#include <sys/signalfd.h>

#include "recorder/recorder.h"

/* Those that are forwarded to the program, and that end a recording which waits for others. */
void recorder_front_signals(sigset_t *ret);

/* Did the whole group get the signal, and so the program, too? */
bool recorder_front_says_all(const struct recorder_front *front,
                             const struct signalfd_siginfo *info);

/* Where the recording is. */
void recorder_front_tell(const struct recorder_front *front, const char *path);

/* When the program has been started, in the group that it is to have. */
void recorder_front_leave_group(const struct recorder_front *front);

/* The program has stopped: so does the front, for a shell to see. */
void recorder_front_stop(struct recorder_front *front);
/* It was told to go on; does the program have to be told as well? */
bool recorder_front_continued(struct recorder_front *front);

#endif
