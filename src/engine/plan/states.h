/* States: every moment of a stretch, kept while it is run through by single instructions
 * (CONTROL_STATES, log/control.h).
 *
 * The dispatcher reports each moment before anything happens there (states_note), and each
 * instruction before it is executed (states_before); what the engine writes and maps is reported
 * through guest_observer. A state's undo has the bytes that were overwritten between it and the
 * next state, to be restored from the last entry to the first. A moment whose instruction was not
 * executed because of an external event is not a state: what happened there belongs to the state
 * before.
 */
#ifndef ENGINE_STATES_H
#define ENGINE_STATES_H

#include "base/types.h"

extern bool states_on;

void states_begin(u64 most);
/* Returns the file, which the caller closes; -1 if there is none. */
i32 states_end(void);

/* The guest is at a moment. */
void states_note(void);
/* The instruction at cpu->rip is about to be executed alone. */
void states_before(void);

#endif
