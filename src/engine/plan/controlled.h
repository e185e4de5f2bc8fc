/* Control: an engine that replays for a session.
 *
 *          RUN                       limit, hit, interrupt
 *   stands -----> runs (dispatch.c) -----------------------> stands ...       control_boundary
 *     |  FORK                         end of the log, divergence
 *     +------> another process that stands there, too        stands for good   control_conclude
 *
 * While it stands, it answers questions (controlled_answers.c). Everything happens at a boundary:
 * the guest's whole state is in cpu and in the blocks of its threads. log/control.h has the
 * messages.
 */
#ifndef ENGINE_CONTROLLED_H
#define ENGINE_CONTROLLED_H

#include "log/control.h"
#include "log/format.h"

/* The welcome said that a session controls this engine. */
void control_start(void);
bool control_on(void);

/* The same for an engine that records for a live session: the program runs, and stands where its
 * plan stops or the session holds it.
 *
 *          hit, `hold` of the ring               RUN, or the session is gone
 *   runs -------------------------------> stands ----------------------------> runs ...
 */
void control_start_live(void);
/* At a boundary of a recorded program: a hit stands before anything else happens at its moment; and
 * a signal is about to be delivered. */
void control_before_anything(void);
void control_before_signal(void);

#endif
