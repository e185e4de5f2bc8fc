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

#endif
