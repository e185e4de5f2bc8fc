/* The front of a recording (recorder.h) as its recorder sees it. */
#ifndef RECORDER_FRONT_INTERNAL_H
#define RECORDER_FRONT_INTERNAL_H

#include "recorder/recorder.h"

/* When the program has been started, in the group that it is to have. */
void recorder_front_leave_group(const struct recorder_front *front);

/* The program has stopped: so does the front, for a shell to see. */
void recorder_front_stop(struct recorder_front *front);
/* It was told to go on; does the program have to be told as well? */
bool recorder_front_continued(struct recorder_front *front);

#endif
