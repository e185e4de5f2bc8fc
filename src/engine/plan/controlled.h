/* Control: an engine that replays for a session.
 *
 *          RUN                       limit, hit, interrupt
 *   stands -----> runs (dispatch.c) -----------------------> stands ...       control_boundary
 *     |  FORK                         end of the log, divergence
 *     +------> another process that stands there, too        stands for good   control_conclude
 *
 * Standing, it answers questions (controlled_answers.c).  Everything happens at a boundary: the guest's whole state is in cpu
 * and in the blocks of its threads.  log/control.h has the messages.
 */
#ifndef ENGINE_CONTROLLED_H
#define ENGINE_CONTROLLED_H

#include "log/control.h"
#include "log/format.h"

extern bool control_on;

/* The welcome said that a session is there. */
void control_start(void);

/* In place of replay_boundary(). */
void control_boundary(void);

/* How the program ended, for those who stand at its end. */
void control_ended(const struct event_end *end);

/* The replay cannot go on, or is through. */
_Noreturn void control_conclude(u32 reason, u64 events, const char *recorded, const char *happened);

/* A signal would end a copy that has left the recording: it stands where that came, and goes on from there, with other
 * registers perhaps, when it is told to. */
void control_copy_faulted(u32 signal);

#endif
