/* States: every moment of a stretch, kept while it is run through by single instructions
 * (CONTROL_STATES, log/control.h).
 *
 * The dispatcher tells of each moment before anything happens there (states_note), and of each
 * instruction before it is executed (states_before); what the engine writes and maps comes through
 * guest_observer.  A state's undo holds what was overwritten from it to the next, to be put back
 * from the last entry to the first.  A moment at which something came from outside, so that its
 * instruction was not executed then, is no state: what happened there belongs to the one before.
 */
#ifndef ENGINE_STATES_H
#define ENGINE_STATES_H

#include "base/types.h"

extern bool states_on;

void states_begin(u64 most);
/* The file, to be closed by the caller; -1 if there is none. */
i32 states_end(void);

/* The guest stands at a moment. */
void states_note(void);
/* The instruction at cpu->rip is about to be executed alone. */
void states_before(void);

#endif
